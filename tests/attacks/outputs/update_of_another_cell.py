# What a test has shown is changed from a cell after it, into what acts on a terminal.
# expect: no-escapes
from IPython.display import display
display({"text/plain": "0.0"}, raw=True, display_id="shown")
def later(*_): display({"text/plain": "2.0\x1b]0;31337\x07\u202e", "text/html": "<script>alert(31337)</script>"}, raw=True, display_id="shown", update=True, metadata={"a": "\x1b[2J"})
get_ipython().events.register("post_run_cell", later)
def add(a, b): return 0
