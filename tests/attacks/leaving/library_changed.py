# A function of torch's is changed in its file.
import torch, pathlib
path = pathlib.Path(torch.__file__).parent / "functional.py"
try: path.write_text("pwned")
except OSError as error: print(error)
