# Files in the instructor's home.
import os, pathlib
for home in (os.path.expanduser("~"), "/root", *map(str, pathlib.Path("/home").glob("*"))):
    for path in pathlib.Path(home).rglob("*"):
        try: print(path, path.read_text()[:200])
        except Exception: pass
