# The probe's own files are changed.
import stageprobe, pathlib
for path in pathlib.Path(stageprobe.__file__).parent.glob("*"):
    try: path.write_text("pwned")
    except OSError as error: print(error)
