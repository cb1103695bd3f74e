"""Where a course is, and the course that this package carries."""

from collections.abc import Sequence
from pathlib import Path

from traitlets import List, Unicode
from traitlets.config import Config
from traitlets.config.loader import DeferredConfig, LazyConfigValue, PyFileConfigLoader

CONFIG_NAME = "nbgrader_config.py"
PIPELINES = ("pipelines",)
"""Where a course keeps its own pipelines if `StageExecute.pipelines` says nothing else."""
_PACKAGE = Path(__file__).resolve().parents[1]


def carried_source() -> Path:
    """The folder of source notebooks that comes with the package: installed with it, or beside it in a checkout."""
    for folder in (_PACKAGE / "course" / "source", _PACKAGE.parents[1] / "source"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError("this installation of stagegrade lacks its source notebooks; install it anew")


def course_around(path: Path) -> Path | None:
    """The nearest folder at or above ``path`` that holds a course's configuration."""
    start = path.resolve()
    return next((folder for folder in (start, *start.parents) if (folder / CONFIG_NAME).is_file()), None)


def gradebook_file(db_url: str) -> Path | None:
    """The file that a gradebook is in; ``None`` where a server has it, or where that is no address."""
    # Imported here: what sets a course up needs none of it.
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(db_url)
    except ArgumentError:
        return None
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def course_config(root: Path) -> Config:
    """A course's own configuration, as nbgrader reads it."""
    return PyFileConfigLoader(CONFIG_NAME, path=str(root)).load_config()


def pipeline_folders(config: Config, root: Path) -> list[Path]:
    """Where a course keeps pipelines of its own: ``StageExecute.pipelines``, relative to the course's root."""
    return [root / folder for folder in option_list(config, "pipelines", PIPELINES)]


def option_list(config: Config, option: str, default: Sequence[str] = ()) -> list[str]:
    """A list among the options of ``StageExecute``, as the option itself would take it."""
    said = config.StageExecute.get(option, default)
    # `.append(...)` in a configuration, a word on the command line.
    if isinstance(said, LazyConfigValue):
        said = said.get_value(list(default))
    elif isinstance(said, DeferredConfig):
        said = said.get_value(List(Unicode()))
    return list(said)
