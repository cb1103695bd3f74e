"""What the gradebook says of one submitted notebook."""

from datetime import UTC
from typing import Any

from nbgrader.api import BaseCell, Comment, Grade, Gradebook

from stagegrade.report import CellGrade, Grades


def grades_of(gradebook: Gradebook, assignment: str, notebook: str, student: str) -> Grades:
    """Points, comments and penalty. Raises nbgrader's ``MissingEntry`` where nothing was handed in."""
    # nbgrader adds to its tables' classes afterwards, out of a type checker's sight.
    submitted: Any = gradebook.find_submission_notebook(notebook, assignment, student)
    ask: Any = gradebook.db.query
    cells = (
        ask(BaseCell.name, Grade.score, Grade.max_score, Grade.manual_score, Grade.needs_manual_grade)
        .select_from(Grade)
        .join(BaseCell, Grade.cell_id == BaseCell.id)
        .filter(Grade.notebook_id == submitted.id)
    )
    comments = (
        ask(BaseCell.name, Comment.comment)
        .select_from(Comment)
        .join(BaseCell, Comment.cell_id == BaseCell.id)
        .filter(Comment.notebook_id == submitted.id)
    )
    timestamp = submitted.assignment.timestamp
    return Grades(
        score=float(submitted.score),
        max_score=float(submitted.max_score),
        late_penalty=float(submitted.late_submission_penalty or 0.0),
        cells={
            name: CellGrade(
                score=float(score or 0.0),
                max_score=float(most or 0.0),
                by_hand=by_hand is not None,
                waits=bool(waits),
            )
            for name, score, most, by_hand, waits in cells
        },
        comments={name: comment for name, comment in comments if comment},
        # The gradebook keeps times in UTC without saying so.
        handed_in=timestamp.replace(tzinfo=UTC) if timestamp else None,
        seconds_late=float(submitted.assignment.total_seconds_late),
    )
