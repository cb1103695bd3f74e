# The interpreter's own memory is overwritten.
import ctypes
ctypes.memset(0, 0, 1)
