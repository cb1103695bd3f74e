"""Accidents of the grader and of what it stands on: it says what happened, and the next run makes it good."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # comes with ipykernel
import pytest

from stagegrade.jail._outer import bubblewraps
from tests.attacks.corpus import ASSIGNMENT
from tests.batch import gradebooks
from tests.faults.accidents import ACCIDENTS
from tests.faults.test_accidents import STAGEGRADE, course, record, run

pytestmark = pytest.mark.timeout(600)

CLASS = [
    a
    for a in ACCIDENTS
    if a.name in ("no accident", "raises", "exits", "half a file", "not written", "renamed")
]
KILLS = 20


@pytest.fixture(scope="module")
def ungraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small") / "course"
    course(root, CLASS)
    return root


@pytest.fixture(scope="module")
def undisturbed(ungraded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("undisturbed") / "course"
    shutil.copytree(ungraded, root)
    done = run(root, "autograde", ASSIGNMENT, "--jobs", "2")
    assert 1 == done.returncode, done.stderr
    return root


@pytest.fixture
def copy(ungraded: Path, tmp_path: Path) -> Path:
    root = tmp_path / "course"
    shutil.copytree(ungraded, root)
    return root


def assert_same(expected: Path, got: Path) -> None:
    assert gradebooks.rows(gradebooks.url(expected)) == gradebooks.rows(gradebooks.url(got))
    assert gradebooks.files(expected / "autograded") == gradebooks.files(got / "autograded")


def start(root: Path, *before: str, code: str = STAGEGRADE) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.Popen(
        [*before, sys.executable, "-c", code, "autograde", ASSIGNMENT, "--jobs", "2"],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(process: "subprocess.Popen[str]") -> tuple[int, str]:
    _, said = process.communicate(timeout=300)
    assert "Traceback" not in said
    return process.returncode, said


class Graders:
    """Starts one grader after another in a course, each a copy of a process that has imported all it needs."""

    CODE = f"""
import os, sys
import stagegrade.apps._autograde, stagegrade.autograde, torch
from stagegrade.apps import main
nothing = os.open(os.devnull, os.O_RDWR)
for line in sys.stdin:
    os.chdir(line.strip())
    pid = os.fork()
    if pid == 0:
        os.setsid()
        for number in range(3):
            os.dup2(nothing, number)
        sys.argv = ["stagegrade", "autograde", "{ASSIGNMENT}", "--jobs", "2"]
        try:
            main()
        finally:
            os._exit(0)
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print("gone", flush=True)
"""

    def __init__(self, root: Path) -> None:
        self._root = root
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", self.CODE],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self) -> psutil.Process:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{self._root}\n")
        self._process.stdin.flush()
        return psutil.Process(int(self._said()))

    def wait(self) -> None:
        assert "gone\n" == self._said()

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def close(self) -> None:
        self._process.communicate()


def test_killed_with_9_at_twenty_points_it_ends_the_same(
    ungraded: Path, copy: Path, undisturbed: Path
) -> None:
    """A crash at some moment would lose a grade, give one twice, or leave what stops the next run."""
    graders = Graders(copy)
    graders.start()
    # From here on: what it needs was imported before.
    began = time.monotonic()
    graders.wait()
    whole = time.monotonic() - began
    shutil.rmtree(copy)
    shutil.copytree(ungraded, copy)
    moments = random.Random(4)
    for _ in range(KILLS):
        process = graders.start()
        time.sleep(moments.uniform(0.05, 0.9) * whole)
        family = []
        with suppress(psutil.NoSuchProcess):
            family = process.children(recursive=True)
            process.kill()
        graders.wait()
        psutil.wait_procs(family, timeout=20)
        assert [] == [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
    graders.close()
    # The last of them may have come to its end, and then nothing is left that could not be graded now.
    assert finished(start(copy))[0] in (0, 1)
    assert_same(undisturbed, copy)


def test_the_process_that_submissions_are_forked_from_may_die(copy: Path, undisturbed: Path) -> None:
    """Whoever is graded at that moment would lose points for it."""
    process = start(copy)
    killed = False
    while process.poll() is None and not killed:
        for child in psutil.Process(process.pid).children(recursive=True):
            if child.name() == "bwrap" and time.time() - child.create_time() > 2:
                child.send_signal(signal.SIGKILL)
                killed = True
                break
        time.sleep(0.1)
    assert 1 == finished(process)[0]
    assert killed
    assert_same(undisturbed, copy)


def test_a_course_that_cannot_be_written_is_said_and_left_alone(copy: Path, undisturbed: Path) -> None:
    """Grades would be lost in silence, or half of them written."""
    walls = [bubblewraps()[0], "--dev-bind", "/", "/", "--ro-bind", str(copy), str(copy)]
    status, said = finished(start(copy, *walls))
    assert 1 == status
    assert f"the folder {copy} cannot be written" in said
    assert 1 == finished(start(copy))[0]
    assert_same(undisturbed, copy)


def test_a_full_disk_is_said_and_the_next_run_makes_it_good(copy: Path, undisturbed: Path) -> None:
    """A submission whose file could not be written would count as graded."""
    (copy / "autograded").mkdir()
    walls = [
        bubblewraps()[0],
        *("--dev-bind", "/", "/", "--size", "40000", "--tmpfs", str(copy / "autograded")),
    ]
    status, said = finished(start(copy, *walls))
    assert 1 == status
    assert "space" in said.lower()
    assert 1 == finished(start(copy))[0]
    assert_same(undisturbed, copy)


def test_a_gradebook_that_another_program_holds_is_waited_for(copy: Path, undisturbed: Path) -> None:
    """Formgrader left open would stop the class, or a grade be missing."""
    connection = sqlite3.connect(copy / "gradebook.db", isolation_level=None, check_same_thread=False)
    process = start(copy)
    time.sleep(2)
    connection.execute("begin exclusive")
    timer = threading.Timer(3, lambda: connection.execute("rollback"))
    timer.start()
    status, _ = finished(process)
    timer.join()
    connection.close()
    assert 1 == status
    assert_same(undisturbed, copy)


def test_a_clock_that_jumps_changes_nothing(copy: Path, undisturbed: Path) -> None:
    """A change to winter time, or a clock set right, would end cells early or never."""
    jumping = (
        "import itertools, time\nreal, turn = time.time, itertools.count()\n"
        "time.time = lambda: real() + (-1) ** next(turn) * 7200\n" + STAGEGRADE
    )
    assert 1 == finished(start(copy, code=jumping))[0]
    assert_same(undisturbed, copy)


def test_a_gradebook_of_an_older_schema_is_said(copy: Path) -> None:
    """Grades would be written where this nbgrader no longer reads them."""
    with sqlite3.connect(copy / "gradebook.db") as connection:
        connection.execute("alter table submitted_notebook drop column late_submission_penalty")
    connection.close()
    status, said = finished(start(copy))
    assert 1 == status
    assert "late_submission_penalty" in said
    assert "nbgrader db upgrade" in said
    # Before anything is graded, in one line, and without SQL.
    assert 1 == len(said.strip().splitlines())
    assert not (copy / "autograded").exists()


def test_without_walls_nothing_is_graded_unless_it_is_asked_for(copy: Path) -> None:
    """Student code would run with the instructor's rights because a program is missing."""
    # As on a machine without bubblewrap, by a course that will not do with less than namespaces.
    without = (
        "from stagegrade.autograde import _warming\nfrom stagegrade.jail import Walls, WarmProcess, _outer\n"
        "_outer.bubblewraps = lambda: []\n"
        "_warming.WarmProcess = lambda preload, walls, hide, show: WarmProcess(\n"
        "    preload, walls=walls or Walls.NAMESPACES, hide=hide, show=show)\n" + STAGEGRADE
    )
    status, said = finished(start(copy, code=without))
    assert status in (1, 2)
    assert "--unprotected" in said
    assert not (copy / "autograded").exists() or [] == list((copy / "autograded").glob("*/*/*.ipynb"))
    done = run(copy, "autograde", ASSIGNMENT, "--unprotected", "--jobs", "2")
    assert 1 == done.returncode
    found = record(copy, "no-accident")
    assert ("none", 14.0) == (found["walls"], found["score"])
    assert [] != [flag for flag in found["flags"] if "without walls" in flag]


def test_a_configuration_cannot_leave_the_walls_out(copy: Path) -> None:
    """A line that somebody wrote last year would take every course's walls down."""
    with (copy / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("\nc.StageExecute.unprotected = True\n")
    status, said = finished(start(copy))
    assert status in (1, 2)
    assert "has to be asked for each time" in said
