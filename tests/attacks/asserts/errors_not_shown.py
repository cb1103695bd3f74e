# Tracebacks are not shown.
# flag: showtraceback
shell = get_ipython()
type(shell).showtraceback = type(shell)._showtraceback = lambda *args, **more: None
def add(a, b): return 0
