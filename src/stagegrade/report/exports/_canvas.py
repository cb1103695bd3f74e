"""Canvas: Gradebook, Import. A column of Points Possible makes an assignment that is new get its maximum."""

from collections.abc import Sequence

from stagegrade.report._csv import Cell, csv_text
from stagegrade.report.exports._grade import Grade
from stagegrade.report.exports._grades import by_student, columns, identity, points

_WHO = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def canvas(grades: Sequence[Grade], missing: str = "") -> bytes:
    """UTF-8 with the columns of Canvas's own gradebook export, the second row with each maximum."""
    items = columns(grades)
    rows: list[Sequence[Cell]] = [
        (*_WHO, *(item.item for item in items)),
        ("    Points Possible", "", "", "", "", *(item.max_score for item in items)),
    ]
    for student, own in by_student(grades):
        who = (student.lms_user_id, student.id_number, student.username)
        cells = [points(own.get(item.assignment), missing) for item in items]
        rows.append((student.sortable_name, *map(identity, who), student.section, *cells))
    return csv_text(rows).encode()
