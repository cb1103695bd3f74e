# exec() does nothing.
# flag: builtins.exec
import builtins
builtins.exec = lambda *args, **more: None
