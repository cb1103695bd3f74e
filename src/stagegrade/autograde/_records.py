"""Reads back the records that grading left in ``autograded/``."""

import json
from pathlib import Path
from typing import Any

from nbgrader.coursedir import CourseDirectory


def records(coursedir: CourseDirectory, assignment: str, student: str = "*") -> dict[str, dict[str, Any]]:
    """The record of each graded student of an assignment, by student; of several notebooks the first's."""
    found: dict[str, dict[str, Any]] = {}
    pattern = Path(coursedir.format_path(coursedir.autograded_directory, student, assignment))
    root = Path(coursedir.root)
    for folder in sorted(root.glob(str(pattern.relative_to(root)))):
        for notebook in sorted(folder.glob("*.ipynb")):
            record = json.loads(notebook.read_bytes())["metadata"].get("stagegrade")
            if record and "stages" in record:
                # submitted and autograded are laid out alike: the student's folder holds the assignment's.
                found.setdefault(folder.parent.name, record)
    return found
