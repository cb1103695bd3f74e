# A script in an output.
from IPython.display import HTML, Javascript, display
display(HTML("<script>alert(31337)</script><img src=x onerror='alert(31337)'>"))
display(Javascript("alert(31337)"))
