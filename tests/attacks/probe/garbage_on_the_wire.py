# Bytes that are no frame.
import os, socket, stat
for number in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(number).st_mode): os.write(number, b"\xff" * 4096)
    except OSError: pass
