"""Grades one notebook with no gradebook at hand, the way it would be graded in its course."""

import json
from pathlib import Path
from typing import Any

from traitlets.config import Configurable

from stagegrade.autograde._controls import without_controls
from stagegrade.autograde._course import carried_source, course_around
from stagegrade.autograde._records import read_record
from stagegrade.autograde._source import answered, grade_id, pipeline_and_stage
from stagegrade.autograde._trial_course import Belonging, trial_course

WITHOUT_COURSE = "diagnosed"


class UnknownAssignment(Exception):
    """It cannot be told, or is not known, which assignment a notebook belongs to."""


def belonging(path: Path, assignment: str | None = None, *, course: Path | None = None) -> Belonging:
    """Find the source of a submitted notebook: in ``course``, or else in that around it or around here, or in the
    package's own.

    Raises ``UnknownAssignment``.
    """
    root = course or course_around(path.parent) or course_around(Path.cwd())
    known = _known(root)
    name = assignment or _assignment_of(path, known)
    if name not in known:
        raise UnknownAssignment(f"no assignment is called {name}; there are {', '.join(sorted(known))}")
    notebooks = sorted(p.stem for p in known[name].glob("*.ipynb"))
    if path.stem not in notebooks and len(notebooks) > 1:
        raise UnknownAssignment(
            f"{name} has several notebooks, {', '.join(notebooks)}; {path.name} has none of their names"
        )
    notebook = path.stem if path.stem in notebooks else notebooks[0]
    return Belonging(
        assignment=name,
        notebook=notebook,
        source=known[name],
        student=_student_of(path, name),
        root=_home(root, known[name]),
    )


def assignment_here(name: str, course: Path | None = None) -> Belonging:
    """An assignment of ``course`` and of no other; without it, of the one around here or of the package's own.

    Raises ``UnknownAssignment``.
    """
    root = course or course_around(Path.cwd())
    known = _in(root / "source") if course and root else _known(root)
    source = known.get(name)
    if source is None:
        folder = (root or Path()) / "source" / name
        if folder.is_dir():
            raise UnknownAssignment(f"{folder} has no notebook. Put its {name}.ipynb there, and check again")
        there = f"there are {', '.join(sorted(known))}" if known else f"{root} has none in its source/"
        raise UnknownAssignment(f"no assignment is called {name}; {there}")
    return Belonging(
        assignment=name, notebook="", source=source, student=WITHOUT_COURSE, root=_home(root, source)
    )


def stages_asked(of: Belonging) -> list[str]:
    """The stages that a notebook's tests hand over, as its source has them, without grading it; named as in records."""
    cells = json.loads((of.source / f"{of.notebook}.ipynb").read_bytes())["cells"]
    full = dict.fromkeys(
        stage
        for cell in cells
        if cell["cell_type"] == "code" and cell["metadata"].get("nbgrader", {}).get("grade")
        for stage in answered("".join(cell["source"]))
    )
    several = len({pipeline_and_stage(stage)[0] for stage in full}) > 1
    return [stage if several else pipeline_and_stage(stage)[1] for stage in full]


def diagnose(path: Path, of: Belonging, parent: Configurable) -> dict[str, Any]:
    """The record of one notebook, from a course made for it alone and taken away afterwards.

    Raises ``NotDiagnosed``.
    """
    with trial_course(of, parent) as course:
        record = read_record(course.grade(of.student, {of.notebook: path})[of.notebook])
        assert record is not None
        return _naming(record, f"{of.notebook}.ipynb", path.name)


def _naming(record: dict[str, Any], known: str, given: str) -> dict[str, Any]:
    """The record with the file's own name, where it was graded under the one that the course knows."""
    given = without_controls(given)

    def renamed(row: dict[str, Any]) -> dict[str, Any]:
        where = str(row["evidence"].get("where", ""))
        if not where.startswith(f"In {known}"):
            return row
        told = where.replace(known, given, 1)
        message = row["message"].replace(where, told)
        return {**row, "message": message, "evidence": {**row["evidence"], "where": told}}

    return {**record, "notebook": given, "stages": [renamed(row) for row in record["stages"]]}


def _known(root: Path | None) -> dict[str, Path]:
    """The folders of source notebooks by assignment; a course's go before the package's own."""
    return _in(carried_source()) | (_in(root / "source") if root else {})


def _in(folder: Path) -> dict[str, Path]:
    return {path.parent.name: path.parent for path in sorted(folder.glob("*/*.ipynb"))}


def _home(root: Path | None, source: Path) -> Path | None:
    return root if root is not None and source.parent == root / "source" else None


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
        return {grade_id(cell) for cell in cells} - {""}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError):
        return set()


def _student_of(path: Path, assignment: str) -> str:
    """The student by the course's layout, ``submitted/STUDENT/ASSIGNMENT/``, whose cases are then the same."""
    parents = path.resolve().parents
    if len(parents) > 2 and parents[0].name == assignment and parents[2].name == "submitted":
        return parents[1].name
    return WITHOUT_COURSE
