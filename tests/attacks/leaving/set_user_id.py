# A program with another user's rights.
import os, shutil
shutil.copy("/bin/sh", "pwned")
try: os.chmod("pwned", 0o6755)
except OSError as error: print(error)
print(os.popen("./pwned -p -c id; su -c id; sudo -n id").read())
for uid in (0, 1, 65534):
    try: os.setuid(uid); print("SECRET", uid)
    except OSError as error: print(error)
