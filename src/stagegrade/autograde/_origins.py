"""What a grade came from, kept in the gradebook, so that a later run knows what is still as it was."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from nbgrader.api import Notebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import Column, Connection, MetaData, String, Table, Text, delete, insert, inspect, select
from sqlalchemy.exc import IntegrityError, ProgrammingError
from sqlalchemy.schema import CreateTable

import stagegrade
from stagegrade.autograde._course import pipeline_folders
from stagegrade.autograde._folders import Folders
from stagegrade.autograde._source import SourceNotebook

_PARTS = ("pipelines", "diagnosis", "judge")
_SECTIONS = ("Execute", "StageExecute", "SubmissionLimits", "LimitOutput", "IgnorePattern")
# Of how a run is to go about it, such as by --force, no grade depends.
_OF_AUTOGRADE = ("autograde_preprocessors", "sanitize_preprocessors", "exporter_class")

# Beside nbgrader's own tables, which know nothing of it. It may be dropped at any time: what is graded then
# counts as graded, as nbgrader has it.
_GRADED_FROM = Table(
    "stagegrade_graded_from",
    MetaData(),
    Column("submitted_notebook", String(32), primary_key=True),
    Column("origin", Text, nullable=False),
)


@dataclass(frozen=True)
class Origin:
    """Digests of the files handed in, of the released notebook, and of the rules of grading."""

    submission: str
    assignment: str
    rules: str
    seconds: float | None = field(default=None, compare=False)
    """How long grading it took. Kept here because no two runs take the same: in a record two would never agree."""
    whole: bool = field(default=True, compare=False)
    """Whether it could be graded whole. Kept here so that a class's notebooks need not be read to know it."""


@dataclass(frozen=True)
class Grounds:
    """Digests of what is the same for every submission of a notebook: as it was released, and the rules of grading."""

    assignment: str
    rules: str


def grounds_of(folders: Folders, source: SourceNotebook) -> Grounds:
    config, root = folders.converter.config, Path(folders.converter.coursedir.root)
    cells = json.dumps([asdict(cell) for cell in source.cells], sort_keys=True)
    decisive = {key: config[key] for key in _SECTIONS if config.get(key)}
    decisive["Autograde"] = {key: config.Autograde[key] for key in _OF_AUTOGRADE if key in config.Autograde}
    settings = json.dumps(decisive, sort_keys=True, default=_name)
    pipelines = tuple(pipeline_folders(config, root))
    return Grounds(
        assignment=_digest(cells.encode()),
        rules=_digest((settings + _code(pipelines, source.pipelines)).encode()),
    )


def origin_of(folders: Folders, student: str, name: str, grounds: Grounds) -> Origin:
    """What a grade of the notebook ``name``, as it was collected, would come from now."""
    return Origin(
        submission=folders.fingerprint(student, name), assignment=grounds.assignment, rules=grounds.rules
    )


def kept_of(now: Origin, status: str, seconds: float) -> Origin:
    """What to keep of a grading that ended with ``status``, a record's.

    After a fault of our own it is of no submission that there is, so that it will be tried again.
    """
    kept = replace(now, seconds=seconds, whole=status == "graded")
    return replace(kept, submission="") if status == "grader_fault" else kept


def _name(setting: object) -> str:
    return str(getattr(setting, "__qualname__", setting.__class__.__qualname__))


@cache
def _code(folders: tuple[Path, ...], used: tuple[str, ...]) -> str:
    """What decides in this package, and in a course's folders: the pipelines that are used, and what those share."""
    package = Path(stagegrade.__file__).parent
    files = [file for part in _PARTS for file in sorted((package / part).rglob("*.py"))]
    theirs = [file for folder in folders for file in sorted(folder.glob("*.py"))]
    files += [file for file in theirs if file.stem in used or file.stem.startswith("_")]
    return stagegrade.__version__ + "".join(_digest(file.read_bytes()) for file in files)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def make_table(connection: Connection) -> None:
    """Where it is not there yet; another grader may make it at the same moment."""
    try:
        with connection.begin_nested():
            connection.execute(CreateTable(_GRADED_FROM, if_not_exists=True))
    except (IntegrityError, ProgrammingError):
        # PostgreSQL looks first and makes it then, and fails where another has made it in between.
        if not inspect(connection).has_table(_GRADED_FROM.name):
            raise


def keep_origin(connection: Connection, submitted_notebook: str, found: Origin) -> None:
    connection.execute(delete(_GRADED_FROM).where(_GRADED_FROM.c.submitted_notebook == submitted_notebook))
    connection.execute(
        insert(_GRADED_FROM).values(
            submitted_notebook=submitted_notebook, origin=json.dumps(vars(found), sort_keys=True)
        )
    )


def origins(connection: Connection, assignment: str) -> Iterator[tuple[str, str, Origin | None]]:
    """Student, notebook and origin of each submission to an assignment, by its id; ``None`` where it is not known."""
    submitted: Any = SubmittedAssignment.__table__
    notebooks: Any = SubmittedNotebook.__table__
    sources: Any = Notebook.__table__
    statement = (
        select(submitted.c.student_id, sources.c.name, _GRADED_FROM.c.origin)
        .select_from(submitted)
        .join(notebooks, notebooks.c.assignment_id == submitted.c.id)
        .join(sources, sources.c.id == notebooks.c.notebook_id)
        .outerjoin(_GRADED_FROM, _GRADED_FROM.c.submitted_notebook == notebooks.c.id)
        .where(submitted.c.assignment_id == assignment)
    )
    for student, name, kept in connection.execute(statement):
        yield student, name, Origin(**json.loads(kept)) if kept else None


def seconds_by_student(connection: Connection, assignment: str) -> dict[str, float]:
    """How long grading each submission to an assignment took, by the assignment's id; where that was kept."""
    taken: dict[str, float] = {}
    if inspect(connection).has_table(_GRADED_FROM.name):
        for student, _, origin in origins(connection, assignment):
            if origin is not None and origin.seconds is not None:
                taken[student] = taken.get(student, 0.0) + origin.seconds
    return taken
