"""Grades to export: who was right, who was late, who handed nothing in, and names that ask for trouble."""

from datetime import datetime, timedelta
from typing import Any

from stagegrade.report.exports import Grade, Student, Submitted
from tests.report.records import broken, record, row

DUE = datetime(2026, 3, 2, 12, 0)  # noqa: DTZ001 - nbgrader keeps times in UTC without saying so

RIGHT = Student(
    id="right-throughout",
    last_name="Throughout",
    first_name="Right",
    email="right@example.org",
    username="rthrough",
    id_number="0012345",
    lms_user_id="77",
    section="Monday",
)
LATE = Student(
    id="late",
    last_name='Late, "very"',
    first_name="Zoë",
    username="zlate",
    id_number="0012346",
    lms_user_id="78",
)
MISSING = Student(
    id="missing", last_name="=HYPERLINK(1)", first_name="+None", username="none", id_number="-12"
)
FORMULA_ID = Student(id="formula", last_name="Formula", username="=1+1", id_number="@SUM(1)")
DAMAGED = Student(id="damaged", last_name="Damaged", username="damaged", id_number="0012348")
WAITING = Student(id="waiting", last_name="Waiting", username="wait", id_number="0012347")


def grade(student: Student, submitted: Submitted = Submitted.ON_TIME, **changes: Any) -> Grade:
    given = submitted not in (Submitted.MISSING, Submitted.UNGRADED)
    made: dict[str, Any] = {
        "assignment": "query_key_value",
        "item": "Week 2",
        "student": student,
        "submitted": submitted,
        "score": 10.0 if given else None,
        "raw_score": 10.0 if given else None,
        "max_score": 10.0,
        "due": DUE,
        "handed_in": DUE - timedelta(hours=1) if given else None,
        "record": record() if given else None,
    }
    return Grade(**{**made, **changes})


COHORT = (
    grade(RIGHT),
    grade(
        LATE,
        Submitted.LATE,
        score=16 / 3,
        raw_score=19 / 3,
        penalty=1.0,
        handed_in=DUE + timedelta(days=1, hours=2, minutes=3),
        late_by=timedelta(days=1, hours=2, minutes=3),
        record=broken(),
    ),
    grade(MISSING, Submitted.MISSING),
    grade(WAITING, Submitted.IN_REVIEW, score=4.0, raw_score=4.0),
)

UNREAD = grade(
    DAMAGED,
    Submitted.UNREADABLE,
    score=0.0,
    raw_score=0.0,
    record=record(row("scaling", "not_reached"), status="unreadable", first_divergence=None),
    unreadable=("query_key_value.ipynb",),
)
