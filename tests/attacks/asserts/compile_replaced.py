# compile() gives code that does nothing.
# flag: builtins.compile
import builtins
real = builtins.compile
builtins.compile = lambda source, *args, **more: real("pass", *args[:1], "exec")
