# Formulas of a text cell with links, classes and styles in them.
# markdown: $\href{javascript:alert(31337)}{x}$ $$\style{background:url(http://31337)}{y}$$ $\class{a" onload="alert(31337)}{z}$ $\text{</mtext><script>alert(31337)</script>}$ [y](data:text/html;base64,31337 "a") <details ontoggle=alert(31337) open>
from IPython.display import Math, Markdown, display
display(Math(r"\href{javascript:alert(31337)}{x} \unicode{x3C}script\unicode{x3E}"), Markdown(r"$\text{</math><img src=x onerror=alert(31337)>}$"))
