"""Worker processes lose no task, whatever happens to them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stagegrade.autograde._pool import Lost, Pool, WorkerRefused


def run(tasks, make, jobs=2):
    with Pool(jobs, make) as pool:
        return dict(pool.run(iter(tasks)))


def test_every_task_is_done_once():
    assert {n: n * n for n in range(50)} == run(range(50), lambda: lambda n: n * n)


def test_a_task_that_ends_its_worker_is_tried_once_more_and_then_given_up():
    """One poisonous submission costs the class nothing but its own grade."""

    def work(n):
        if n == 3:
            os._exit(9)
        return n

    done = run(range(10), lambda: work)
    assert set(range(10)) == set(done)
    assert isinstance(done.pop(3), Lost)
    assert {n: n for n in range(10) if n != 3} == done


def test_a_task_that_was_unlucky_once_is_done(tmp_path):
    def work(n):
        mark = tmp_path / str(n)
        if not mark.exists():
            mark.touch()
            raise MemoryError
        return n

    assert {n: n for n in range(6)} == run(range(6), lambda: work)


def test_a_worker_that_cannot_make_ready_stops_the_run():
    """Where walls are refused nobody is graded, and nobody's grade is touched."""

    def make():
        raise RuntimeError("no walls here")

    with pytest.raises(WorkerRefused, match="no walls here"):
        run(range(4), make)


def test_tasks_are_drawn_as_they_are_needed():
    """A class of any size takes no more memory than what is being graded."""
    drawn = 0

    def tasks():
        nonlocal drawn
        for n in range(100):
            drawn += 1
            yield n

    def make():
        return lambda n: n

    with Pool(2, make) as pool:
        for done, _ in enumerate(pool.run(tasks()), start=1):
            assert drawn <= done + 2 * 2


def test_workers_end_with_the_process_that_made_them(tmp_path):
    """Killed with -9, a grader leaves no process behind."""
    script = tmp_path / "grader.py"
    script.write_text(
        "import os, sys\n"
        "from stagegrade.autograde._pool import Pool\n"
        "pool = Pool(3, lambda: lambda n: os.getpid())\n"
        "pids = {pid for _, pid in pool.run(iter(range(60)))}\n"
        "print(*[w.process.pid for w in pool._workers], flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=60)
    pids = done.stdout.split()
    assert 3 == len(pids)
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)
