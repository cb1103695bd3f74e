"""A run that was stopped, however, is gone on with by the next one and ends the same."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # comes with ipykernel
import pytest

from tests import notebooks
from tests.batch import gradebooks
from tests.batch.conftest import ASSIGNMENT, submitted
from tests.commands import BIN, run

pytestmark = pytest.mark.timeout(600)

CLASS = 18


def start(course, env) -> subprocess.Popen[str]:
    # A shell that starts the tests in the background has interrupts ignored by all that comes of them.
    heeding = ["env", "--default-signal=INT"]
    return subprocess.Popen(
        [*heeding, str(BIN / "stagegrade"), "autograde", ASSIGNMENT, "--verbose"],
        cwd=course,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@contextmanager
def held_up(course: Path) -> Iterator[None]:
    """One submission takes so long that no run comes to its end before it is stopped."""
    path = submitted(course, "right-3")
    handed_in = path.read_bytes()
    notebook = notebooks.read(path)
    waits: dict[str, Any] = {
        "cell_type": "code",
        "id": "waits",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
    }
    notebook["cells"].insert(0, waits | {"source": "import time\ntime.sleep(25)\n"})
    notebooks.write(path, notebook)
    yield
    path.write_bytes(handed_in)


def wait_for(process, count) -> None:
    """Until so many submissions were told as graded."""
    assert process.stderr is not None
    for _ in range(count):
        assert process.stderr.readline()


def summary(course, env, *options) -> dict:
    done = run("stagegrade", "autograde", ASSIGNMENT, "--json", *options, cwd=course, env=env, status=None)
    found: dict = json.loads(done.stdout)
    return found


def same(expected: Path, got: Path) -> None:
    assert gradebooks.rows(gradebooks.url(expected)) == gradebooks.rows(gradebooks.url(got))
    assert gradebooks.files(expected / "autograded") == gradebooks.files(got / "autograded")


def test_killed_with_9_it_goes_on_where_it_was(course, env, undisturbed):
    """A machine that crashes at midnight costs the work of a moment, and no grade is other than it would be."""
    with held_up(course):
        process = start(course, env)
        wait_for(process, 3)
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.communicate()
        psutil.wait_procs(family, timeout=20)
    assert [] == [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
    again = summary(course, env)
    assert 3 <= CLASS - again["graded"] < CLASS
    assert CLASS - again["graded"] == again["up_to_date"]
    same(undisturbed, course)


def test_interrupted_it_ends_within_a_second_and_keeps_what_is_done(course, env, undisturbed):
    with held_up(course):
        process = start(course, env)
        wait_for(process, 2)
        one = psutil.Process(process.pid)
        family, before = one.children(recursive=True), one.cpu_times()
        began = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        took, after = time.monotonic() - began, one.cpu_times()
        _, said = process.communicate(timeout=30)
    assert took < 10.0, "a second, and what a busy machine adds to it"
    # Alone on a machine, it ends as soon as it has had the processor for so long.
    assert after.user + after.system - before.user - before.system < 0.6
    assert process.returncode == 130, said
    assert "What was graded is kept" in said
    _, alive = psutil.wait_procs(family, timeout=10)
    assert [] == alive
    assert [] == list((course / "autograded").rglob("*.partial"))
    assert summary(course, env)["up_to_date"] >= 2
    same(undisturbed, course)


def test_only_what_changed_is_graded_again(course, env):
    """One student hands in anew: the others keep what they have, comments and all."""
    summary(course, env)
    path = submitted(course, "blank-0")
    path.write_bytes(submitted(course, "right-0").read_bytes())
    again = summary(course, env)
    assert ["blank-0"] == [found["student"] for found in again["submissions"]]
    assert 12.0 == again["submissions"][0]["notebooks"][0]["score"]
    assert CLASS - 1 == again["up_to_date"]
    assert CLASS == summary(course, env, "--force")["graded"]
    assert CLASS == summary(course, env)["up_to_date"]


def test_a_changed_assignment_is_noticed_and_said(course, env):
    """Grades from before a change of the rules stand, and the instructor is told how to renew them."""
    summary(course, env)
    (course / "pipelines").mkdir(exist_ok=True)
    (course / "pipelines" / "another_assignment.py").write_text("# Not there yet.\n")
    assert CLASS == summary(course, env)["up_to_date"]
    with (course / "nbgrader_config.py").open("a") as config:
        config.write("\nc.StageExecute.call_timeout = 4.5\n")
    again = run("stagegrade", "autograde", ASSIGNMENT, cwd=course, env=env)
    assert "0 graded" in again.stderr
    assert f"{CLASS} of those keep grades from before" in again.stderr
    assert "--force" in again.stderr
