"""Reads back the records that grading left in ``autograded/``, and what there is to be graded."""

import glob
import json
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory


def records(coursedir: CourseDirectory, assignment: str, students: str = "*") -> dict[str, dict[str, Any]]:
    """The record of each graded student of an assignment, by student; of several notebooks the first's.

    ``students`` is a pattern, as nbgrader's ``--student``.
    """
    found: dict[str, dict[str, Any]] = {}
    for folder in _folders(coursedir, coursedir.autograded_directory, assignment, students):
        for notebook in sorted(folder.glob("*.ipynb")):
            record = json.loads(notebook.read_bytes())["metadata"].get("stagegrade")
            if record and "stages" in record:
                # submitted and autograded are laid out alike: the student's folder holds the assignment's.
                found.setdefault(folder.parent.name, record)
    return found


def submitters(coursedir: CourseDirectory, assignment: str, students: str = "*") -> list[str]:
    """The students of whom something was collected for an assignment."""
    return [f.parent.name for f in _folders(coursedir, coursedir.submitted_directory, assignment, students)]


def gradebook_assignments(coursedir: CourseDirectory) -> list[str]:
    """The assignments that the course's gradebook knows; none where there is no gradebook yet."""
    at = Path(coursedir.db_url.removeprefix("sqlite:///"))
    if coursedir.db_url.startswith("sqlite:///") and not at.exists():
        return []
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        return sorted(str(assignment.name) for assignment in gradebook.assignments)


def _folders(coursedir: CourseDirectory, step: str, assignment: str, students: str) -> list[Path]:
    root = Path(coursedir.root)
    pattern = Path(coursedir.format_path(step, students, glob.escape(assignment))).relative_to(root)
    return sorted(path for path in root.glob(str(pattern)) if path.is_dir())
