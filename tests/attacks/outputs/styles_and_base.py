# A style sheet, another base for links, and a page that goes elsewhere.
from IPython.display import HTML, display
display(HTML("<style>@import url(http://31337/a.css); body{background:url(http://31337/b)}</style><link rel=stylesheet href=http://31337/c>"
             "<meta http-equiv=refresh content='0;url=http://31337'><base href='http://31337/'><object data=http://31337></object>"))
