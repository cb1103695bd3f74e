# The package that holds the reference.
import importlib, sys, pathlib
try:
    mistakes = importlib.import_module("stagegrade.pipelines")
    print("SECRET", mistakes)
except ImportError as error: print(error)
for folder in sys.path:
    for path in pathlib.Path(folder or ".").glob("stagegrade/**/*.py"): print("SECRET", path, path.read_text()[:100])
