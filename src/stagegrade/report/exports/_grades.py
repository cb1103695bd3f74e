"""Grades of several assignments as one table: a row a student, a column an assignment."""

from collections.abc import Iterable, Sequence

from stagegrade.report._csv import Cell, is_formula
from stagegrade.report.exports._grade import Grade, Student, Submitted


def by_student(grades: Sequence[Grade]) -> list[tuple[Student, dict[str, Grade]]]:
    """Each student with their grades by assignment, in the order of the names that people sort by."""
    students = {grade.student.id: grade.student for grade in grades}
    found: dict[str, dict[str, Grade]] = {name: {} for name in students}
    for grade in grades:
        found[grade.student.id][grade.assignment] = grade
    ordered = sorted(students.values(), key=lambda s: (s.sortable_name.casefold(), s.id))
    return [(student, found[student.id]) for student in ordered]


def columns(grades: Sequence[Grade]) -> list[Grade]:
    """A grade of each assignment, for the column's heading and its maximum."""
    return list({grade.assignment: grade for grade in grades}.values())


def points(grade: Grade | None, missing: str) -> Cell:
    """What stands in a grade's cell: its score, ``missing`` for no submission, nothing where it is not final."""
    if grade is None:
        return None
    if grade.submitted == Submitted.MISSING:
        return missing
    return grade.score if grade.final else None


def identity(value: str) -> str:
    """An id for a column that a system looks people up by: never altered, and left out where it is a formula.

    An apostrophe in front would make it somebody else's id, or nobody's.
    """
    return "" if is_formula(value) else value


def unidentified(grades: Iterable[Grade], identities: Sequence[str]) -> list[Student]:
    """The students whom none of a format's ids identifies; ``identities`` are fields of ``Student``."""
    if not identities:
        return []
    students = {grade.student.id: grade.student for grade in grades}
    return [s for s in students.values() if not any(identity(getattr(s, name)) for name in identities)]


def shared(grades: Iterable[Grade], identities: Sequence[str]) -> tuple[str, str, list[str]] | None:
    """An id that several students have, where there is one: its field of ``Student``, it, and who they are."""
    students = {grade.student.id: grade.student for grade in grades}
    for name in identities:
        owners: dict[str, list[str]] = {}
        for student in students.values():
            owners.setdefault(identity(getattr(student, name)).casefold(), []).append(student.id)
        for value, ids in owners.items():
            if value and len(ids) > 1:
                return name, value, sorted(ids)
    return None
