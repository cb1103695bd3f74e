"""Blackboard Learn: Grade Center, Work Offline, Upload. Comma-separated, so every cell is quoted."""

from collections.abc import Sequence

from stagegrade.report._csv import Cell, csv_text
from stagegrade.report.exports._grade import Grade
from stagegrade.report.exports._grades import by_student, columns, identity, points

_WHO = ("Last Name", "First Name", "Username", "Student ID")


def blackboard(grades: Sequence[Grade], missing: str = "") -> bytes:
    """UTF-8. A column is found by its heading's column id, ``Week 2 [Total Pts: 12 Score] |31415``."""
    items = columns(grades)
    rows: list[Sequence[Cell]] = [(*_WHO, *(item.item for item in items))]
    for student, own in by_student(grades):
        who = (student.username, student.id_number)
        cells = [points(own.get(item.assignment), missing) for item in items]
        rows.append((student.last_name, student.first_name, *map(identity, who), *cells))
    return csv_text(rows, quote_all=True).encode()
