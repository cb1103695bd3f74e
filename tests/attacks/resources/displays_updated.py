# Thousands of displays under one name, each of which every later one changes.
from IPython.display import display
for n in range(20000): display({"text/plain": "x"}, raw=True, display_id="one", update=n > 4000)
