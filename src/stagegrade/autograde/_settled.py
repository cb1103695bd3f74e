"""Notebooks that could not be read, and which of them a person has settled since."""

from collections.abc import Iterable, Mapping
from typing import Any

from nbgrader.api import Grade, Notebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import Connection, case, func, select

# nbgrader builds its tables in a way that a type checker cannot follow.
_submitted: Any = SubmittedAssignment
_notebook: Any = SubmittedNotebook
_grade: Any = Grade


def settled_by_hand(connection: Connection, assignment: str) -> set[tuple[str, str]]:
    """Student and notebook of each submission to an assignment, by its id, that a person has given points.

    Where a cell waits to be looked at again, those points were for an earlier file, and settle nothing of this one.
    """
    statement = (
        select(_submitted.student_id, Notebook.name)
        .select_from(_grade)
        .join(_notebook, _notebook.id == _grade.notebook_id)
        .join(_submitted, _submitted.id == _notebook.assignment_id)
        .join(Notebook, Notebook.id == _notebook.notebook_id)
        .where(_submitted.assignment_id == assignment)
        # Grouped, as an EXISTS would read all grades for each of them: the table has no index.
        .group_by(_submitted.student_id, Notebook.name)
        .having(
            func.count(_grade.manual_score) > 0, func.sum(case((_grade.needs_manual_grade, 1), else_=0)) == 0
        )
    )
    return {(str(student), str(name)) for student, name in connection.execute(statement)}


def unreadable(
    student: str, records: Iterable[Mapping[str, Any]], settled: set[tuple[str, str]]
) -> tuple[str, ...]:
    """Of the student's ``records``, the notebooks that could not be read and are not ``settled``."""
    names = [str(record["notebook"]) for record in records if record["status"] == "unreadable"]
    return tuple(name for name in names if (student, name.removesuffix(".ipynb")) not in settled)
