"""Grades one notebook with no gradebook at hand, the way it would be graded in its course."""

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, Configurable

from stagegrade.autograde._configure import configure
from stagegrade.autograde._converter import TellingAutograde
from stagegrade.autograde._course import carried_source, course_around, course_config
from stagegrade.autograde._records import read_record

WITHOUT_COURSE = "diagnosed"


class UnknownAssignment(Exception):
    """It cannot be told, or is not known, which assignment a notebook belongs to."""


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


def belonging(path: Path, assignment: str | None = None) -> Belonging:
    """Find the source of a submitted notebook: in the course around it or around here, or in the package's own.

    Raises ``UnknownAssignment``.
    """
    root = course_around(path.parent) or course_around(Path.cwd())
    folders = [root / "source"] if root else []
    folders.append(carried_source())
    known = {
        p.parent.name: p.parent for folder in reversed(folders) for p in sorted(folder.glob("*/*.ipynb"))
    }
    name = assignment or _assignment_of(path, known)
    if name not in known:
        raise UnknownAssignment(f"no assignment is called {name}; there are {', '.join(sorted(known))}")
    notebooks = sorted(p.stem for p in known[name].glob("*.ipynb"))
    if path.stem not in notebooks and len(notebooks) > 1:
        raise UnknownAssignment(
            f"{name} has several notebooks, {', '.join(notebooks)}; {path.name} has none of their names"
        )
    notebook = path.stem if path.stem in notebooks else notebooks[0]
    within = root is not None and known[name].parent == root / "source"
    return Belonging(
        assignment=name,
        notebook=notebook,
        source=known[name],
        student=_student_of(path, name),
        root=root if within else None,
    )


def diagnose(path: Path, of: Belonging, parent: Configurable) -> dict[str, Any]:
    """The record of one notebook, from a course made for it alone and taken away afterwards.

    Raises ``NotDiagnosed``.
    """
    with tempfile.TemporaryDirectory(prefix="diagnose-") as made:
        root = Path(made)
        config = _config(of, root)
        # What the command line says of how it is to be run.
        for name in ("StageExecute", "SubmissionLimits"):
            config[name].merge(parent.config[name])
        (root / "source").mkdir()
        shutil.copytree(of.source, root / "source" / of.assignment)
        coursedir = CourseDirectory(config=config)
        coursedir.assignment_id = of.assignment
        try:
            GenerateAssignment(coursedir=coursedir, parent=parent, config=config).start()
        except NbGraderException as error:
            raise NotDiagnosed(
                f"{of.source} could not be made into a release; the log says why: "
                f"nbgrader generate_assignment {of.assignment} --force"
            ) from error
        handed = root / "submitted" / of.student / of.assignment
        handed.mkdir(parents=True)
        shutil.copyfile(path, handed / f"{of.notebook}.ipynb")
        coursedir.notebook_id = of.notebook
        grading = TellingAutograde(coursedir=coursedir, parent=parent, config=config)
        try:
            grading.start()
        except NbGraderException as error:
            raise NotDiagnosed(str(error)) from error
        for failure in grading.failures.values():
            raise NotDiagnosed(f"{type(failure).__name__}: {failure}") from failure
        graded = root / "autograded" / of.student / of.assignment / f"{of.notebook}.ipynb"
        record = read_record(graded)
        assert record is not None
        return record


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
        folders = config.StageExecute.get("pipelines", ["pipelines"])
        config.StageExecute.pipelines = [str(of.root / folder) for folder in folders]
    return config


def _assignment_of(path: Path, known: dict[str, Path]) -> str:
    for candidate in (path.stem, path.resolve().parent.name):
        if candidate in known:
            return candidate
    found = _grade_ids(path)
    scored = {
        name: len(found & set().union(*(_grade_ids(p) for p in folder.glob("*.ipynb"))))
        for name, folder in known.items()
    }
    best = max(scored, key=lambda name: scored[name])
    # A name or two may be shared by all; the notebook of an assignment has most of its cells.
    if found and scored[best] > len(found) / 2:
        return best
    raise UnknownAssignment(
        f"it cannot be told which assignment {path.name} is of; say so with --assignment, "
        f"one of {', '.join(sorted(known))}"
    )


def _grade_ids(path: Path) -> set[str]:
    try:
        cells = json.loads(path.read_bytes())["cells"]
        return {
            cell["metadata"]["nbgrader"]["grade_id"]
            for cell in cells
            if "grade_id" in cell.get("metadata", {}).get("nbgrader", {})
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError):
        return set()


def _student_of(path: Path, assignment: str) -> str:
    """The student by the course's layout, ``submitted/STUDENT/ASSIGNMENT/``, whose cases are then the same."""
    parents = path.resolve().parents
    if len(parents) > 2 and parents[0].name == assignment and parents[2].name == "submitted":
        return parents[1].name
    return WITHOUT_COURSE
