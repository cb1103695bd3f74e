# Markdown with HTML in it, in an output and a cell.
# markdown: <script>alert(31337)</script> <img src=x onerror=alert(31337)> [x](javascript:alert(31337))
from IPython.display import Markdown, display
display(Markdown("<script>alert(31337)</script>\n\n[x](javascript:alert(31337)) <img src=x onerror=alert(31337)>"))
