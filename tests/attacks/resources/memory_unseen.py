# Files in memory, which belong to no process.
import ctypes, os
libc = ctypes.CDLL(None)
for _ in range(1000):
    number = libc.memfd_create(b"pwned", 0)
    if number < 0: break
    os.write(number, bytes(8 << 20))
