# Folders above the working directory, and what lies beside it.
import os
here = os.getcwd()
for up in range(12):
    here = os.path.join(here, "..")
    for name in sorted(os.listdir(here))[:200]:
        try: print(name, open(os.path.join(here, name)).read(2000))
        except OSError: pass
