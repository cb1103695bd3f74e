"""Reads back the records that grading left in ``autograded/``, and what there is to be graded."""

import glob
import json
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory

from stagegrade.autograde._course import gradebook_file

# nbformat sorts the keys of a notebook's metadata; a person reads a record in the order of its meaning.
_ORDER = (
    "schema", "assignment", "notebook", "status", "score", "max_score", "first_divergence", "checkpoint",
    "stages", "flags",
)  # fmt: skip
_STAGE_ORDER = (
    "stage", "verdict", "carried", "points", "max_points", "mistake", "message", "evidence", "case",
)  # fmt: skip


class BrokenRecord(Exception):
    """A file in ``autograded/`` that is no graded notebook, or no longer. The message says which and what to do."""

    def __init__(self, notebook: Path) -> None:
        super().__init__(
            f"{notebook} is not as grading left it, and cannot be read. Grade it again: stagegrade autograde "
            f"{notebook.parent.name} --student '{notebook.parent.parent.name}' --force"
        )


def read_record(notebook: Path) -> dict[str, Any] | None:
    """The record in a graded notebook, its keys in the order of their meaning; ``None`` where there is none.

    Raises ``BrokenRecord``.
    """
    try:
        found = _metadata(notebook.read_bytes()).get("stagegrade")
        if not found or "stages" not in found:
            return None
        record = {key: found[key] for key in _ORDER}
        record["stages"] = [{key: row[key] for key in _STAGE_ORDER} for row in found["stages"]]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise BrokenRecord(notebook) from error
    return record


def records(coursedir: CourseDirectory, assignment: str, students: str = "*") -> dict[str, dict[str, Any]]:
    """The record of each graded student of an assignment, by student; of several notebooks the first's.

    ``students`` is a pattern, as nbgrader's ``--student``.
    """
    return {student: own[0] for student, own in all_records(coursedir, assignment, students).items()}


def all_records(
    coursedir: CourseDirectory, assignment: str, students: str = "*"
) -> dict[str, list[dict[str, Any]]]:
    """The records of each graded student of an assignment, one for each notebook that has one, by student."""
    found: dict[str, list[dict[str, Any]]] = {}
    for folder in _folders(coursedir, coursedir.autograded_directory, assignment, students):
        for notebook in sorted(folder.glob("*.ipynb")):
            record = read_record(notebook)
            if record is not None:
                # submitted and autograded are laid out alike: the student's folder holds the assignment's.
                found.setdefault(folder.parent.name, []).append(record)
    return found


def _metadata(text: bytes) -> dict[str, Any]:
    """A notebook's metadata. A class's notebooks are hundreds of megabytes, nearly all of it cells.

    Within a JSON string there is no line end, so a line of nbformat's own layout that begins with the key is the
    notebook's, and what follows ends it.
    """
    at = text.rfind(b'\n "metadata": {')
    try:
        found: dict[str, Any] = json.loads(b"{" + text[at:])["metadata"] if at >= 0 else {}
    except ValueError:
        found = {}
    return found or dict(json.loads(text)["metadata"])


def submitters(coursedir: CourseDirectory, assignment: str, students: str = "*") -> list[str]:
    """The students of whom something was collected for an assignment."""
    return [f.parent.name for f in _folders(coursedir, coursedir.submitted_directory, assignment, students)]


def gradebook_assignments(coursedir: CourseDirectory) -> list[str]:
    """The assignments that the course's gradebook knows; none where there is no gradebook yet."""
    file = gradebook_file(coursedir.db_url)
    if file is not None and not file.exists():
        return []
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        return sorted(str(assignment.name) for assignment in gradebook.assignments)


def _folders(coursedir: CourseDirectory, step: str, assignment: str, students: str) -> list[Path]:
    root = Path(coursedir.root)
    pattern = Path(coursedir.format_path(step, students, glob.escape(assignment))).relative_to(root)
    return sorted(path for path in root.glob(str(pattern)) if path.is_dir())
