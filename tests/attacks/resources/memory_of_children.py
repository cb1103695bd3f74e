# Each process stays below the bound, all together do not.
import os, time
for _ in range(8):
    if os.fork() == 0:
        held = [bytearray(os.urandom(1 << 20)) for _ in range(100)]
        time.sleep(100)
time.sleep(100)
