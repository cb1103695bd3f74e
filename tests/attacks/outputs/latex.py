# A formula with HTML in it.
from IPython.display import Latex, display
display(Latex(r"$\href{javascript:alert(31337)}{x} </span><script>alert(31337)</script>$"))
