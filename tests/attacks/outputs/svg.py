# A picture that acts.
from IPython.display import SVG, display
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(31337)"><script>alert(31337)</script></svg>'))
