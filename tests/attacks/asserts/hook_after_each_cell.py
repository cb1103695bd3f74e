# A hook clears what a cell has shown.
from IPython.display import clear_output
get_ipython().events.register("post_run_cell", lambda *args: clear_output())
def add(a, b): return 0
