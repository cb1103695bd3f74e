"""Grades one class twice, by nbgrader alone and by this kit, and says what each took."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import BaseCell, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook

from stagegrade.bench._class import ASSIGNMENT, COURSE_ID, Course, plain_course, staged_course
from stagegrade.bench._measure import Cost, measure

_STOCK = ("nbgrader", "autograde", ASSIGNMENT)
_OURS = ("stagegrade", "autograde", ASSIGNMENT)


@dataclass(frozen=True, kw_only=True)
class Grader:
    """One grader's costs: ``cold`` is a run of one submission, ``each`` what one more takes once it runs."""

    submissions: int
    cold: Cost
    whole: Cost
    each_wall: float
    each_cpu: float


@dataclass(frozen=True, kw_only=True)
class Throughput:
    jobs: int
    stock: Grader | None
    ours: Grader
    floor_cpu: float
    grades_compared: int
    grades_unequal: Sequence[str]

    @property
    def times_faster(self) -> float | None:
        return self.stock.each_wall / self.ours.each_wall if self.stock else None

    @property
    def times_floor(self) -> float:
        return self.ours.each_cpu / self.floor_cpu

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": 1,
            **asdict(self),
            "times_faster": self.times_faster,
            "times_floor": self.times_floor,
        }


def throughput(
    root: Path, submissions: int, stock: int, jobs: int, say: Callable[[str], None] = lambda said: None
) -> Throughput:
    """Time both in ``root``, an empty folder. ``stock`` is how many of the submissions nbgrader grades.

    Raises ``CommandFailed``.
    """
    say("making two courses with the same students")
    plain, staged = plain_course(root / "plain"), staged_course(root / "staged")
    theirs = None
    if stock > 1:
        say(f"nbgrader autograde: 1, then {stock} submissions")
        cold, whole = _graded(plain, _STOCK, 1), _graded(plain, _STOCK, stock, first=1)
        theirs = Grader(
            submissions=stock,
            cold=cold,
            whole=whole,
            each_wall=(whole.wall - cold.wall) / (stock - 1),
            each_cpu=(whole.cpu - cold.cpu) / (stock - 1),
        )
    few = 2 * jobs
    say(f"stagegrade autograde: 1, then {few}, then {submissions} submissions")
    ours = [*_OURS, f"--jobs={jobs}"]
    cold = _graded(staged, ours, 1)
    base = _graded(staged, ours, few, first=1)
    whole = _graded(staged, ours, submissions, first=1 + few)
    more = submissions - few
    say("the floor: fork and exec")
    floor = subprocess.run(
        [sys.executable, "-m", "stagegrade.bench._floor", str(staged.root / "autograded")],
        capture_output=True,
        text=True,
        check=True,
    )
    compared, unequal = _compared(plain, staged)
    return Throughput(
        jobs=jobs,
        stock=theirs,
        ours=Grader(
            submissions=submissions,
            cold=cold,
            whole=whole,
            each_wall=(whole.wall - base.wall) / more,
            each_cpu=(whole.cpu - base.cpu) / more,
        ),
        floor_cpu=float(floor.stdout),
        grades_compared=compared,
        grades_unequal=unequal,
    )


def _graded(course: Course, command: Sequence[str], count: int, first: int = 0) -> Cost:
    course.submit(count, first)
    return measure(command, course.root)


def _compared(plain: Course, staged: Course) -> tuple[int, list[str]]:
    """How many grades both gave, and where they are not equal."""
    theirs, ours = _grades(plain), _grades(staged)
    both = sorted(set(theirs) & set(ours))
    unequal = [
        f"{student} {cell}: nbgrader {theirs[student, cell]}, stagegrade {ours[student, cell]}"
        for student, cell in both
        if theirs[student, cell] != ours[student, cell]
    ]
    return len(both), unequal


def _grades(course: Course) -> dict[tuple[str, str], float | None]:
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}", COURSE_ID) as gradebook:
        ask: Any = gradebook.db.query
        found = (
            ask(SubmittedAssignment.student_id, BaseCell.name, Grade.auto_score)
            .select_from(Grade)
            .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
            .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
            .join(BaseCell, BaseCell.id == Grade.cell_id)
        )
        return {(student, cell): score for student, cell, score in found}
