"""Grades one class twice, by nbgrader alone and by this kit, and says what each took."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nbgrader.api import BaseCell, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook

from stagegrade.bench._class import ASSIGNMENT, COURSE_ID, Course, plain_course, staged_course
from stagegrade.bench._cluster import local_cluster
from stagegrade.bench._measure import Cost, measure, run

_STOCK = ("nbgrader", "autograde", ASSIGNMENT)
_OURS = ("stagegrade", "autograde", ASSIGNMENT)
_GRADED_TIMES = 3
_FED_TIMES = 3
_CLUSTERED_TIMES = 3


@dataclass(frozen=True, kw_only=True)
class Grader:
    """One grader's costs: ``cold`` is a run of one submission, ``each`` what one more takes once it runs."""

    submissions: int
    cold: Cost
    whole: Cost
    each_wall: float
    each_cpu: float


@dataclass(frozen=True, kw_only=True)
class Clustered:
    """What one more submission takes by as many local Dask workers as there are jobs, and by jobs in turn with them."""

    each_wall: float
    jobs_each_wall: float


@dataclass(frozen=True, kw_only=True)
class Throughput:
    jobs: int
    stock: Grader | None
    ours: Grader
    stock_feedback: Grader | None
    feedback: Grader
    clustered: Clustered | None
    """``None`` where Dask is not installed."""
    floor_cpu: float
    grades_compared: int
    grades_unequal: Sequence[str]

    @property
    def times_faster(self) -> float | None:
        return self.stock.each_wall / self.ours.each_wall if self.stock else None

    @property
    def times_floor(self) -> float:
        return self.ours.each_cpu / self.floor_cpu

    @property
    def feedback_times_faster(self) -> float | None:
        return self.stock_feedback.each_wall / self.feedback.each_wall if self.stock_feedback else None

    @property
    def dask_against_jobs(self) -> float | None:
        return self.clustered.each_wall / self.clustered.jobs_each_wall if self.clustered else None

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": 1,
            **asdict(self),
            "times_faster": self.times_faster,
            "times_floor": self.times_floor,
            "feedback_times_faster": self.feedback_times_faster,
            "dask_against_jobs": self.dask_against_jobs,
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
    say(
        f"stagegrade autograde: 1, then {_GRADED_TIMES} times {few}, then {submissions} submissions, then the floor: "
        "fork and exec"
    )
    ours = [*_OURS, f"--jobs={jobs}"]
    cold = _graded(staged, ours, 1)
    done, rounds = 1, []
    for _ in range(_GRADED_TIMES):
        base = _graded(staged, ours, few, first=done)
        whole = _graded(staged, ours, submissions, first=done + few)
        done += few + submissions
        rounds.append((base, whole, _floor(staged, submissions)))
    more = submissions - few
    # What else runs on a machine is not the same from one half minute to the next, and weighs on all three.
    rounds.sort(key=lambda each: (each[1].cpu - each[0].cpu) / each[2])
    base, whole, floor = rounds[len(rounds) // 2]
    say("feedback for both classes")
    fed_stock = _fed(plain, 1 + stock) if theirs else None
    fed = _fed(staged, done)
    clustered = None
    if find_spec("distributed") is not None:
        say(
            f"stagegrade autograde --dask, {jobs} local workers, and --jobs in turn with it: {few}, then {submissions}"
        )
        clustered = _by_cluster(root, submissions, few, jobs)
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
        stock_feedback=fed_stock,
        feedback=fed,
        clustered=clustered,
        floor_cpu=floor,
        grades_compared=compared,
        grades_unequal=unequal,
    )


def _graded(course: Course, command: Sequence[str], count: int, first: int = 0) -> Cost:
    course.submit(count, first)
    return measure(command, course.root)


def _floor(course: Course, count: int) -> float:
    """Seconds of the processor that a submission takes at the least, by the ``count`` that were handed in last."""
    done = subprocess.run(
        [sys.executable, "-m", "stagegrade.bench._floor", str(course.root / "autograded"), str(count)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def _fed(course: Course, submissions: int) -> Grader:
    """Feedback for one student, then for all that are graded: of a few runs in turn the quickest.

    To start takes far longer than a page does: what disturbs one run alone would be seen a hundredfold.
    """
    command = ["nbgrader", "generate_feedback", ASSIGNMENT, "--force"]
    colds, wholes = [], []
    for _ in range(_FED_TIMES):
        colds.append(measure([*command, "--student=000000-*"], course.root))
        wholes.append(measure(command, course.root))
    cold, whole = (min(runs, key=lambda run: run.wall) for runs in (colds, wholes))
    more = submissions - 1
    return Grader(
        submissions=submissions,
        cold=cold,
        whole=whole,
        each_wall=(whole.wall - cold.wall) / more,
        each_cpu=(whole.cpu - cold.cpu) / more,
    )


def _by_cluster(root: Path, submissions: int, few: int, jobs: int) -> Clustered:
    """What one more submission takes once they run, by a cluster and by jobs in turn: of a few runs the quickest."""
    folder = root / "cluster"
    folder.mkdir()
    with local_cluster(folder, jobs) as cluster:
        by: dict[str, Callable[[], AbstractContextManager[None]]] = {
            f"--dask={cluster.address}": nullcontext,
            f"--jobs={jobs}": cluster.still,
        }
        courses = {way: staged_course(root / f"clustered{number}") for number, way in enumerate(by)}
        taken: dict[tuple[str, int], list[float]] = {}
        first = 0
        # The first round has the workers import what they need.
        for count in (few, *[few, submissions] * _CLUSTERED_TIMES):
            for way, beside in by.items():
                courses[way].submit(count, first)
                with beside():
                    began = time.perf_counter()
                    run([*_OURS, way], courses[way].root)
                    taken.setdefault((way, count), []).append(time.perf_counter() - began)
            first += count
    dask, alone = ((min(taken[way, submissions]) - min(taken[way, few])) / (submissions - few) for way in by)
    return Clustered(each_wall=dask, jobs_each_wall=alone)


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
