# The same from a shell.
import os
os.system("f() { f | f & }; f; sleep 10")
