# A file in every folder that lets one be written.
import os
for folder, _, _ in os.walk("/"):
    if folder.startswith(("/proc", "/sys")): continue
    try: open(os.path.join(folder, "pwned"), "w").write("pwned")
    except OSError: pass
