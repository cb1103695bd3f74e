"""Counts what the attacks of tests/attacks gain against stock nbgrader and against stagegrade.

    .venv/bin/python tools/attacks.py [--family FAMILY]

Stock nbgrader runs them with the rights of whoever grades. So that they do nothing here, it is itself put behind
bubblewrap's walls, with a course, a home and secrets of its own, one submission at a time and with bounds on what
a process may use. Takes about a quarter of an hour on two processors.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from nbgrader.api import Gradebook, MissingEntry
from sqlalchemy.exc import SQLAlchemyError

from stagegrade.jail._outer import bubblewraps
from tests.attacks.corpus import ASSIGNMENT, NAME, Attack, attacks, solved, source

SECRET = "SECRET-5f1d"
SECONDS = 90
WITHIN = Path("/srv/course")
COMMON = f"""
c = get_config()
c.CourseDirectory.course_id = "attacked"  # {SECRET}
"""
OURS = """
from stagegrade.autograde import configure
configure(c)
c.StageExecute.timeout = 2
c.StageExecute.call_timeout = 1.0
c.SubmissionLimits.cpu_seconds = 8
c.SubmissionLimits.notebook_seconds = 12
c.SubmissionLimits.memory_megabytes = 256
c.SubmissionLimits.processes = 24
c.SubmissionLimits.scratch_megabytes = 16
"""
STOCK = "c.Execute.timeout = 5\n"


@dataclass(frozen=True)
class Came:
    """What came of one attack."""

    gained: bool = False
    read: bool = False
    left: bool = False
    ungraded: bool = False
    """Without a score, or with grading itself stopped or waiting."""

    @property
    def held(self) -> bool:
        return not (self.gained or self.read or self.left or self.ungraded)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--family")
    family = parser.parse_args().family
    found = [a for a in attacks(solved(source(), ()), WITHIN, 1) if family in (None, a.family)]
    against_stock = [
        a for a in attacks(solved(source(stock=True), ()), WITHIN, 1) if family in (None, a.family)
    ]
    with ThreadPoolExecutor(2) as two:
        stock = dict(zip([a.student for a in found], two.map(_stock, against_stock), strict=True))
        ours = dict(zip([a.student for a in found], two.map(_ours, found), strict=True))
    for student, result in stock.items():
        print(f"{student}: stock {_words(result)}; stagegrade {_words(ours[student])}", file=sys.stderr)
    print("| family | attacks | stock: points | read | left | ungraded | held | stagegrade: held |")
    print("|---|---|---|---|---|---|---|---|")
    for name in [*dict.fromkeys(a.family for a in found), "all"]:
        of = [a.student for a in found if name in (a.family, "all")]
        came = [stock[student] for student in of]
        counts = [
            sum(getattr(c, what) for c in came) for what in ("gained", "read", "left", "ungraded", "held")
        ]
        print(f"| {name} | {len(of)} | {' | '.join(map(str, counts))} | {sum(ours[s].held for s in of)} |")


def _words(came: Came) -> str:
    return " ".join(key for key, value in vars(came).items() if value) or "held"


def _stock(attack: Attack) -> Came:
    return _graded(attack, source(stock=True), STOCK, ["-m", "nbgrader"])


def _ours(attack: Attack) -> Came:
    return _graded(attack, source(), OURS, ["-c", "from stagegrade.apps import main; main()"])


def _graded(attack: Attack, notebook: Any, config: str, program: list[str]) -> Came:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        place = Path(made)
        for folder in ("course", "home", "tmp"):
            (place / folder).mkdir()
        course = place / "course"
        (place / "home" / "secret.txt").write_text(SECRET, encoding="utf-8")
        (course / "nbgrader_config.py").write_text(COMMON + config, encoding="utf-8")
        (course / "source" / ASSIGNMENT).mkdir(parents=True)
        (course / "source" / ASSIGNMENT / NAME).write_text(json.dumps(notebook), encoding="utf-8")
        _run(place, ["-m", "nbgrader", "generate_assignment", ASSIGNMENT, "--create"])
        for student in ("other", attack.student):
            (course / "submitted" / student / ASSIGNMENT).mkdir(parents=True)
        other = course / "submitted" / "other" / ASSIGNMENT / NAME
        other.write_text(json.dumps(solved(notebook)), encoding="utf-8")
        attack.hand_in(course / "submitted" / attack.student / ASSIGNMENT)
        before = set(_files(place))
        in_time = _run(place, [*program, "autograde", ASSIGNMENT, "--student", attack.student])
        left = {path for path in set(_files(place)) ^ before if "/autograded/" not in path}
        return Came(
            gained=_score(course, attack.student) not in (None, 0.0),
            read=_read(course, attack.student),
            left=any("pwned" in path for path in left) or SECRET not in _config(course),
            ungraded=not in_time or _score(course, attack.student) is None,
        )


def _run(place: Path, arguments: list[str]) -> bool:
    """Run nbgrader or stagegrade behind walls, in a course within them; whether it came to its end in time."""
    here = Path(__file__).parents[1]
    walls = [
        bubblewraps()[0], "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/",
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run", "--tmpfs", "/srv", "--tmpfs", str(here.parent),
        "--ro-bind", str(here), str(here), "--bind", str(place / "tmp"), "/tmp",
        "--bind", str(place / "course"), str(WITHIN),
        "--bind", str(place / "home"), "/srv/home", "--chdir", str(WITHIN),
        "--setenv", "HOME", "/srv/home", "--setenv", "STAGEGRADE_SECRET", SECRET,
        "--setenv", "PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            [*walls, sys.executable, *arguments],
            check=False,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            preexec_fn=_bounded,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, 1)


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (3 << 30, 3 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 20, 100 << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    os.nice(10)


def _files(place: Path) -> Iterator[str]:
    for folder, _, names in os.walk(place):
        yield from (f"{folder}/{name}" for name in names)


def _score(course: Path, student: str) -> float | None:
    copy = course.parent / "read.db"
    try:
        shutil.copy(course / "gradebook.db", copy)
        with Gradebook(f"sqlite:///{copy}") as gradebook:
            submission = gradebook.find_submission(ASSIGNMENT, student)
            if any(
                grade.auto_score is None for notebook in submission.notebooks for grade in notebook.grades
            ):
                return None
            score: Any = submission.score
            return float(score)
    except (MissingEntry, OSError, SQLAlchemyError):
        # Never begun, or what there was of it is no gradebook any more.
        return None


def _read(course: Path, student: str) -> bool:
    for path in (course / "autograded" / student).rglob("*"):
        if path.suffix != ".ipynb" and path.is_file() and SECRET.encode() in path.read_bytes():
            return True
        if path.suffix == ".ipynb" and path.is_file():
            cells = json.loads(path.read_bytes())["cells"]
            if SECRET in json.dumps([cell.get("outputs") for cell in cells]):
                return True
    return False


def _config(course: Path) -> str:
    return (course / "nbgrader_config.py").read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main()
