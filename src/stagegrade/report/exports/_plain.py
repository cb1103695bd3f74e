"""A table of grades for people and programs: nbgrader's own columns, and what the judge found."""

from collections.abc import Sequence
from datetime import datetime

from stagegrade.report._csv import Cell, csv_text
from stagegrade.report._verdicts import mistake_of
from stagegrade.report.exports._grade import Grade, Submitted

# The first eleven are those of nbgrader's own export, in its order.
COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score"),
    *(
        "late_submission_penalty",
        "score",
        "max_score",
        "submitted",
        "first_divergence",
        "checkpoint",
        "mistake",
    ),
)


def plain(grades: Sequence[Grade], missing: str = "") -> bytes:
    """UTF-8; a row for each student and assignment, times in ISO 8601, UTC."""
    return csv_text([COLUMNS, *(_row(grade, missing) for grade in grades)]).encode()


def _row(grade: Grade, missing: str) -> Sequence[Cell]:
    student, record = grade.student, grade.record or {}
    none = grade.submitted == Submitted.MISSING
    first = record.get("first_divergence")
    mistakes = [mistake_of(row) for row in record.get("stages", ()) if row["stage"] == first]
    return (
        grade.assignment,
        time(grade.due),
        time(grade.handed_in),
        student.id,
        student.last_name,
        student.first_name,
        student.email,
        missing if none else grade.raw_score,
        None if none else grade.penalty,
        missing if none else grade.score,
        grade.max_score,
        str(grade.submitted),
        first,
        record.get("checkpoint"),
        mistakes[0] if mistakes else None,
    )


def time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(sep=" ", timespec="seconds")
