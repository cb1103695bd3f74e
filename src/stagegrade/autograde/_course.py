"""Where a course is, and the course that this package carries."""

from pathlib import Path

from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

CONFIG_NAME = "nbgrader_config.py"
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


def course_config(root: Path) -> Config:
    """A course's own configuration, as nbgrader reads it."""
    return PyFileConfigLoader(CONFIG_NAME, path=str(root)).load_config()


def pipeline_folders(config: Config, root: Path) -> list[Path]:
    """Where a course keeps pipelines of its own."""
    return [root / folder for folder in config.StageExecute.get("pipelines", ["pipelines"])]
