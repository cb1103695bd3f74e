"""What the gradebook says of one submitted notebook."""

from datetime import UTC
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import bindparam, select
from sqlalchemy.orm import contains_eager

from stagegrade.autograde._marks import cells_of
from stagegrade.report import CellGrade, Grades


def grades_of(gradebook: Gradebook, assignment: str, notebook: str, student: str) -> Grades:
    """Points, comments and penalty. Raises nbgrader's ``MissingEntry`` where nothing was handed in."""
    ask = gradebook.db.execute
    found = ask(
        _SUBMITTED, {"assignment": assignment, "notebook": notebook, "student": student}
    ).one_or_none()
    if found is None:
        raise MissingEntry(f"No such submitted notebook: {assignment}/{notebook} for {student}")
    submitted, source, late_penalty, handed_in = found
    timestamp = handed_in.timestamp
    which = {"submitted": submitted, "source": source}
    rows = ask(_CELLS, which).all()
    return Grades(
        # As nbgrader's own properties have them, which read all grades of the class to add up one student's.
        score=float(sum(score or 0.0 for _, score, *_ in rows)),
        max_score=float(sum(most or 0.0 for _, _, most, *_ in rows)),
        late_penalty=float(late_penalty or 0.0),
        cells={
            name: CellGrade(
                score=float(score or 0.0),
                max_score=float(most or 0.0),
                by_hand=by_hand is not None,
                waits=bool(waits),
            )
            for name, score, most, by_hand, waits in rows
        },
        comments={name: comment for name, comment in ask(_COMMENTS, which) if comment},
        # The gradebook keeps times in UTC without saying so.
        handed_in=timestamp.replace(tzinfo=UTC) if timestamp else None,
        seconds_late=float(handed_in.total_seconds_late),
    )


# Built once, as a class asks each of them a thousand times. What nbgrader adds to its tables' classes afterwards is
# out of a type checker's sight.
_notebook: Any = SubmittedNotebook
_handed_in: Any = SubmittedAssignment
_grade: Any = Grade
_comment: Any = Comment
_SUBMITTED = (
    select(_notebook.id, _notebook.notebook_id, _notebook.late_submission_penalty, _handed_in)
    .join(Notebook, Notebook.id == _notebook.notebook_id)
    .join(_handed_in, _handed_in.id == _notebook.assignment_id)
    .join(Assignment, Assignment.id == _handed_in.assignment_id)
    .where(
        Notebook.name == bindparam("notebook"),
        Assignment.name == bindparam("assignment"),
        _handed_in.student_id == bindparam("student"),
    )
    .options(contains_eager(_handed_in.assignment))
)
_CELLS = (
    select(BaseCell.name, _grade.score, _grade.max_score, _grade.manual_score, _grade.needs_manual_grade)
    .select_from(_grade)
    .join(BaseCell, _grade.cell_id == BaseCell.id)
    .where(_grade.cell_id.in_(cells_of(bindparam("source"))), _grade.notebook_id == bindparam("submitted"))
)
_COMMENTS = (
    select(BaseCell.name, _comment.comment)
    .select_from(_comment)
    .join(BaseCell, _comment.cell_id == BaseCell.id)
    .where(
        _comment.cell_id.in_(cells_of(bindparam("source"))), _comment.notebook_id == bindparam("submitted")
    )
)
