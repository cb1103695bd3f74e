"""A course made for one assignment alone, and taken away afterwards: to diagnose a notebook, to try a release."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, Configurable

from stagegrade.autograde._configure import configure
from stagegrade.autograde._converter import TellingAutograde
from stagegrade.autograde._course import course_config, pipeline_folders


class NotDiagnosed(Exception):
    """The course that a notebook belongs to cannot grade it; nothing is said about the notebook itself."""


@dataclass(frozen=True, kw_only=True)
class Belonging:
    """Which assignment a notebook is of, whose, and from which course."""

    assignment: str
    notebook: str
    source: Path
    student: str
    root: Path | None
    """The course around it; ``None`` for the course that the package carries."""


class TrialCourse:
    """Generates an assignment's release and grades notebooks of it, in a folder of its own."""

    def __init__(self, root: Path, of: Belonging, parent: Configurable) -> None:
        self._root = root
        self._of = of
        self._parent = parent
        self.config = _config(of, root)
        # What the command line says of how it is to be run.
        for name in ("StageExecute", "SubmissionLimits"):
            self.config[name].merge(parent.config[name])
        self.coursedir = CourseDirectory(config=self.config)
        self.coursedir.assignment_id = of.assignment
        for path in sorted(of.source.glob("*.ipynb")):
            _require_notebook(path)
        (root / "source").mkdir()
        shutil.copytree(of.source, root / "source" / of.assignment)
        try:
            GenerateAssignment(coursedir=self.coursedir, parent=parent, config=self.config).start()
        except NbGraderException as error:
            raise NotDiagnosed(
                f"{of.source} could not be made into a release; the log says why: "
                f"nbgrader generate_assignment {of.assignment} --force"
            ) from error

    def released(self, notebook: str) -> Path:
        return self._root / "release" / self._of.assignment / f"{notebook}.ipynb"

    def grade(self, student: str, handed_in: Mapping[str, Path]) -> dict[str, Path]:
        """The graded notebooks by name, with the judge's record in their metadata. Raises ``NotDiagnosed``."""
        folder = self._root / "submitted" / student / self._of.assignment
        folder.mkdir(parents=True)
        for notebook, path in handed_in.items():
            shutil.copyfile(path, folder / f"{notebook}.ipynb")
        self.coursedir.notebook_id = next(iter(handed_in)) if len(handed_in) == 1 else "*"
        grading = TellingAutograde(coursedir=self.coursedir, parent=self._parent, config=self.config)
        try:
            grading.start()
        except NbGraderException as error:
            raise NotDiagnosed(str(error)) from error
        for failure in grading.failures.values():
            raise NotDiagnosed(f"{type(failure).__name__}: {failure}") from failure
        graded = self._root / "autograded" / student / self._of.assignment
        return {name: graded / f"{name}.ipynb" for name in handed_in}


def _require_notebook(path: Path) -> None:
    try:
        json.loads(path.read_bytes())["cells"]
    except (ValueError, LookupError, TypeError) as error:
        raise NotDiagnosed(
            f"{path} is no notebook ({type(error).__name__}: {error}), and nothing can be made of it"
        ) from error


@contextmanager
def trial_course(of: Belonging, parent: Configurable) -> Iterator[TrialCourse]:
    """Raises ``NotDiagnosed`` where the assignment cannot be made into a release."""
    with tempfile.TemporaryDirectory(prefix="trial-") as made:
        yield TrialCourse(Path(made), of, parent)


def _config(of: Belonging, root: Path) -> Config:
    config = course_config(of.root) if of.root is not None else Config()
    configure(config)
    # Its own folders and gradebook, whatever the course's are; its own pipelines where they lie.
    config.CourseDirectory = Config(
        {key: value for key, value in config.CourseDirectory.items() if key == "course_id"}
    )
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.db_url = f"sqlite:///{root / 'gradebook.db'}"
    if of.root is not None:
        config.StageExecute.pipelines = [str(folder) for folder in pipeline_folders(config, of.root)]
    return config
