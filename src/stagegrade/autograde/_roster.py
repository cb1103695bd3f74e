"""Reads ``roster.csv``: who is in the course, and the names that an LMS knows them by."""

import csv
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from stagegrade.report.exports import ROSTER_COLUMNS, Student

UNIQUE = ("username", "id_number", "lms_user_id")
"""The columns in which an LMS has one person only under a name, capitals or not."""

# By a word of Python's own message.
SAID = {
    "expected": "text stands after a closing quote",
    "unexpected": "a quote is never closed. Close it, or take a line break out of its cell",
}


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
    rows = _rows(path, text)
    _, first = next(rows, (1, []))
    if not first:
        return {}
    headings = [name.strip() for name in first]
    unknown = [name for name in headings if name not in ROSTER_COLUMNS]
    if "id" not in headings or unknown:
        found = f"it has the column {unknown[0]!r}" if unknown else "it has no column id"
        raise BrokenRoster(path, f"{found}. Its columns are {', '.join(ROSTER_COLUMNS)}; only id is needed.")
    students: dict[str, Student] = {}
    taken: dict[tuple[str, str], str] = {}
    for line, cells in rows:
        student = _student(path, line, headings, cells)
        if student.id in students:
            raise BrokenRoster(path, f"line {line}: {student.id} is there already.")
        students[student.id] = student
        for name in UNIQUE:
            value = getattr(student, name)
            owner = taken.setdefault((name, value.casefold()), f"{student.id}, line {line}")
            if value and owner != f"{student.id}, line {line}":
                raise BrokenRoster(path, f"line {line}: {name} {value} is that of {owner}, too. Correct one.")
    return students


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Each line's number and cells. A line is read alone, so that an open quote takes no other student in."""
    lines = text.split("\n")
    separator = max(",;\t", key=lines[0].count)
    for number, line in enumerate(lines, start=1):
        try:
            yield from (
                (number, cells)
                for cells in csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
                if cells
            )
        except csv.Error as error:
            why = next((said for sign, said in SAID.items() if sign in str(error).split()), str(error))
            raise BrokenRoster(path, f"line {number}: {why}.") from error


def _student(path: Path, line: int, headings: list[str], cells: list[str]) -> Student:
    if len(cells) > len(headings):
        raise BrokenRoster(path, f"line {line}: more cells than headings.")
    student = Student(**{name: value.strip() for name, value in zip_longest(headings, cells, fillvalue="")})
    if not student.id:
        raise BrokenRoster(path, f"line {line}: no id. It is the name of the student's folder in submitted/.")
    return student
