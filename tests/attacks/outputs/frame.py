# A page within the page, and a form over it.
from IPython.display import HTML, display
display(HTML("<iframe src='javascript:alert(31337)'></iframe><form action='http://31337/'><input name=points></form>"
             "<div style='position:fixed;inset:0' onclick='alert(31337)'>x</div><a href='javascript:alert(31337)'>x</a>"))
