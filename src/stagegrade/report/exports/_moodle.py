"""Moodle: Grades, Import, CSV file. Each grade has its feedback beside it, as an import of one needs both."""

from collections.abc import Sequence

from stagegrade.report._csv import Cell, csv_text
from stagegrade.report.exports._grade import Grade, remark
from stagegrade.report.exports._grades import by_student, columns, identity, points

_WHO = ("First name", "Last name", "ID number", "Username", "Email address")
# What Moodle reads as no grade, for an item that is there and for a new one alike.
_NO_GRADE = "-"


def moodle(grades: Sequence[Grade], missing: str = "") -> bytes:
    """UTF-8, comma-separated; for each assignment ``NAME (Real)`` and ``NAME (Feedback)``."""
    items = columns(grades)
    headings = [name for item in items for name in (f"{item.item} (Real)", f"{item.item} (Feedback)")]
    rows: list[Sequence[Cell]] = [(*_WHO, *headings)]
    for student, own in by_student(grades):
        who = (student.id_number, student.username, student.email)
        cells: list[Cell] = []
        for item in items:
            grade = own.get(item.assignment)
            given = points(grade, missing)
            cells += [_NO_GRADE if given in (None, "") else given, remark(grade) if grade else ""]
        rows.append((student.first_name, student.last_name, *map(identity, who), *cells))
    return csv_text(rows).encode()
