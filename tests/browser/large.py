"""A class of thousands: the graded notebooks of a small one, many times over, with a gradebook to match."""

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

from nbgrader.api import Grade, Gradebook, Student, SubmittedAssignment, SubmittedNotebook

from tests.browser.classroom import STAGED, STUDENTS


def large_class(small: Path, root: Path, size: int) -> Path:
    """A course of ``size`` students in ``root``, graded as those of ``small``; the files are links to theirs."""
    root.mkdir()
    shutil.copy(small / "nbgrader_config.py", root)
    shutil.copy(small / "gradebook.db", root)
    drawn = random.Random(1).choices(list(STUDENTS), k=size)
    for number, like in enumerate(drawn):
        folder = root / f"autograded/student-{number:04}/{STAGED}"
        folder.mkdir(parents=True)
        os.link(small / f"autograded/{like}/{STAGED}/{STAGED}.ipynb", folder / f"{STAGED}.ipynb")
    _fill(root / "gradebook.db", [_points(small, like) for like in drawn])
    return root


def _points(small: Path, student: str) -> dict[str, float]:
    notebook = json.loads((small / f"autograded/{student}/{STAGED}/{STAGED}.ipynb").read_bytes())
    return {f"test-{row['stage']}": row["points"] for row in notebook["metadata"]["stagegrade"]["stages"]}


def _fill(path: Path, points: list[dict[str, float]]) -> None:
    with Gradebook(f"sqlite:///{path}") as gradebook:
        assignment: Any = gradebook.find_assignment(STAGED)
        notebook = assignment.notebooks[0]
        cells = {cell.name: cell.id for cell in notebook.grade_cells}
        rows: dict[Any, list[dict[str, Any]]] = {
            Student: [
                {"id": f"student-{n:04}", "last_name": f"Family {n}", "first_name": "Given"}
                for n in range(len(points))
            ],
            SubmittedAssignment: [
                {"id": f"a{n}", "assignment_id": assignment.id, "student_id": f"student-{n:04}"}
                for n in range(len(points))
            ],
            SubmittedNotebook: [
                {"id": f"n{n}", "assignment_id": f"a{n}", "notebook_id": notebook.id}
                for n in range(len(points))
            ],
            Grade: [
                {
                    "id": f"g{n}-{cell}",
                    "cell_id": cells[cell],
                    "notebook_id": f"n{n}",
                    "auto_score": score,
                    "needs_manual_grade": False,
                }
                for n, scores in enumerate(points)
                for cell, score in scores.items()
            ],
        }
        for table, values in rows.items():
            gradebook.db.bulk_insert_mappings(table, values)
        gradebook.db.commit()
