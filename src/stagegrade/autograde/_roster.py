"""Reads ``roster.csv``: who is in the course, and the names that an LMS knows them by."""

import csv
from pathlib import Path

from stagegrade.report.exports import ROSTER_COLUMNS, Student


class BrokenRoster(Exception):
    """A roster that cannot be read. The message says where and what to mend."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


def read_roster(path: Path, *, needed: bool = False) -> dict[str, Student]:
    """The students by id; none where there is no such file and none is ``needed``. Commas, semicolons or tabs.

    Raises ``BrokenRoster``.
    """
    if not path.is_file():
        if needed:
            raise BrokenRoster(path, "there is no such file.")
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrokenRoster(path, "it is not UTF-8. Save it as CSV UTF-8.") from error
    lines = text.splitlines()
    if not lines:
        return {}
    separator = max(",;\t", key=lines[0].count)
    reader = csv.DictReader(lines, delimiter=separator)
    headings = [name.strip() for name in reader.fieldnames or ()]
    unknown = [name for name in headings if name not in ROSTER_COLUMNS]
    if "id" not in headings or unknown:
        found = f"it has the column {unknown[0]!r}" if unknown else "it has no column id"
        raise BrokenRoster(path, f"{found}. Its columns are {', '.join(ROSTER_COLUMNS)}; only id is needed.")
    reader.fieldnames = headings
    students: dict[str, Student] = {}
    for row in reader:
        student = _student(path, reader.line_num, row)
        if student.id in students:
            raise BrokenRoster(path, f"line {reader.line_num}: {student.id} is there already.")
        students[student.id] = student
    return students


def _student(path: Path, line: int, row: dict[str, str]) -> Student:
    if None in row:
        raise BrokenRoster(path, f"line {line}: more cells than headings.")
    student = Student(**{name: (value or "").strip() for name, value in row.items()})
    if not student.id:
        raise BrokenRoster(path, f"line {line}: no id. It is the name of the student's folder in submitted/.")
    return student
