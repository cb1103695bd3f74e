"""What every export is made of: a student's grade for one assignment."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from stagegrade.report._csv import number


class Submitted(StrEnum):
    """What became of a student's submission."""

    ON_TIME = "on time"
    LATE = "late"
    MISSING = "missing"
    UNGRADED = "not graded yet"
    """It is there and was not autograded."""
    IN_REVIEW = "waits for a person"
    """Some of it is graded by hand, or could not be graded; the score is not final."""
    UNREADABLE = "could not be read"
    """Some of it is no notebook. It has the points of what could be read, and a person should know of it."""


@dataclass(frozen=True, kw_only=True)
class Student:
    """A student by every name a system may know them by; what is not known is empty."""

    id: str
    """The name of their folder in ``submitted/``, which is nbgrader's id."""
    last_name: str = ""
    first_name: str = ""
    email: str = ""
    username: str = ""
    """The login name in the LMS."""
    id_number: str = ""
    """The university's number: Canvas's SIS User ID, Moodle's ID number, Brightspace's Org Defined ID."""
    lms_user_id: str = ""
    """The number that the LMS itself gave the account: Canvas's ID."""
    section: str = ""

    @property
    def sortable_name(self) -> str:
        """``Last, First`` as far as known; the student's id where neither is."""
        return ", ".join(part for part in (self.last_name, self.first_name) if part) or self.id


ROSTER_COLUMNS = tuple(field.name for field in fields(Student))
"""The columns of a roster. Those that nbgrader's ``db student import`` reads have its names."""


@dataclass(frozen=True, kw_only=True)
class Grade:
    """A student's grade for one assignment, with what it rests on."""

    assignment: str
    item: str
    """What the assignment is called in the LMS's gradebook: the heading of its column."""
    student: Student
    submitted: Submitted
    score: float | None
    """Points less the penalty; ``None`` where none can be given yet."""
    raw_score: float | None = None
    penalty: float = 0.0
    max_score: float
    due: datetime | None = None
    handed_in: datetime | None = None
    late_by: timedelta = timedelta()
    record: Mapping[str, Any] | None = None
    """The judge's record; of several notebooks the first's."""
    unreadable: tuple[str, ...] = ()
    """The notebooks that could not be read, and whose points nobody has settled by hand."""

    @property
    def final(self) -> bool:
        """Whether the score is one to hand on to an LMS."""
        decided = (Submitted.ON_TIME, Submitted.LATE, Submitted.UNREADABLE)
        return self.submitted in decided and self.score is not None


def remark(grade: Grade) -> str:
    """One or two sentences for the student, for a system that takes feedback beside the grade."""
    match grade.submitted:
        case Submitted.MISSING:
            return "No submission."
        case Submitted.UNGRADED:
            return "Not graded yet."
        case Submitted.IN_REVIEW:
            return "Part of this is still to be graded by a person."
        case Submitted.UNREADABLE:
            first = "It could not be read as it was handed in; ask your instructor."
        case _:
            first = where_to_look(grade.record) if grade.record is not None else ""
    return " ".join(part for part in (first, _lateness(grade)) if part)


def where_to_look(record: Mapping[str, Any]) -> str:
    """The stage to look at first, in a sentence."""
    first = record["first_divergence"]
    if record["status"] != "graded":
        return "It could not be graded as it was handed in; ask your instructor."
    if first is None:
        return "Every stage is right."
    checkpoint = f" (checkpoint: {record['checkpoint']})" if record["checkpoint"] else ""
    return f"Look first at: {first}{checkpoint}."


def _lateness(grade: Grade) -> str:
    if not grade.late_by:
        return ""
    minutes = max(1, round(grade.late_by.total_seconds() / 60))
    days, rest = divmod(minutes, 24 * 60)
    hours, minutes = divmod(rest, 60)
    parts = [f"{count} {unit}" for count, unit in ((days, "d"), (hours, "h"), (minutes, "min")) if count]
    taken = f"; {number(grade.penalty)} taken off" if grade.penalty else ""
    return f"Late by {' '.join(parts)}{taken}."
