"""Finds a pipeline by its assignment's name."""

import importlib.util
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path

from stagegrade.pipelines import assignments
from stagegrade.pipelines._pipeline import Pipeline


class NoSuchPipeline(LookupError):
    """No file declares a pipeline of this name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"no pipeline is called {name}; there are {', '.join(known)}")
        self.name = name
        self.known = tuple(known)


class BrokenPipeline(Exception):
    """A pipeline's file could not be loaded, or declares no ``PIPELINE`` of its own name."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


def names(folders: Sequence[Path] = ()) -> tuple[str, ...]:
    """The assignments that have a pipeline: this package's own, and those of a course's ``folders``."""
    own = {module.name for module in pkgutil.iter_modules(assignments.__path__)}
    theirs = {path.stem for folder in folders for path in folder.glob("*.py")}
    return tuple(sorted(name for name in own | theirs if not name.startswith("_")))


def find(name: str, folders: Sequence[Path] = ()) -> Pipeline:
    """The pipeline of an assignment; a file in one of a course's ``folders`` goes before this package's own.

    Raises ``NoSuchPipeline`` or ``BrokenPipeline``.
    """
    if Path(name).name == name and not name.startswith("_"):
        for folder in (*folders, *(Path(p) for p in assignments.__path__)):
            path = folder / f"{name}.py"
            if path.is_file():
                return _load(path)
    raise NoSuchPipeline(name, names(folders))


def _load(path: Path) -> Pipeline:
    if path.parent in [Path(p) for p in assignments.__path__]:
        module_name = f"{assignments.__name__}.{path.stem}"
    else:
        module_name = f"stagegrade_course_{path.stem}"
    if module_name not in sys.modules or getattr(sys.modules[module_name], "__file__", None) != str(path):
        spec = importlib.util.spec_from_file_location(module_name, path)
        if spec is None or spec.loader is None:
            raise BrokenPipeline(path, "cannot be loaded as Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[module_name]
            raise BrokenPipeline(path, f"{type(error).__name__}: {error}") from error
    pipeline = getattr(sys.modules[module_name], "PIPELINE", None)
    if not isinstance(pipeline, Pipeline) or pipeline.name != path.stem:
        raise BrokenPipeline(path, f"declares no PIPELINE with the name {path.stem!r}")
    return pipeline
