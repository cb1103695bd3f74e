"""Brightspace: Grades, Enter Grades, Import. Each line ends with a cell that says so."""

from collections.abc import Sequence

from stagegrade.report._csv import Cell, csv_text, number
from stagegrade.report.exports._grade import Grade
from stagegrade.report.exports._grades import by_student, columns, identity, points


def brightspace(grades: Sequence[Grade], missing: str = "") -> bytes:
    """UTF-8. A column is ``NAME Points Grade``, with the maximum for an item that is new."""
    items = columns(grades)
    headings = [f"{item.item} Points Grade <Numeric MaxPoints:{number(item.max_score)}>" for item in items]
    rows: list[Sequence[Cell]] = [("OrgDefinedId", "Username", *headings, "End-of-Line Indicator")]
    for student, own in by_student(grades):
        cells = [points(own.get(item.assignment), missing) for item in items]
        rows.append((identity(student.id_number), identity(student.username), *cells, "#"))
    return csv_text(rows).encode()
