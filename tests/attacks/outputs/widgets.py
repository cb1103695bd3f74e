# The state of a widget, which a page would load a script for.
from IPython.display import display
display({"application/vnd.jupyter.widget-view+json": {"model_id": "31337", "version_major": 2}, "text/plain": "x"}, raw=True)
