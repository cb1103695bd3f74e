"""A keeper keeps one submission after another, and nothing of one is there for the next."""

import itertools
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from stagegrade.jail import Ended, Jail, Walls, WarmProcess
from stagegrade.jail._keepers import Keepers

_marks = itertools.count(1)

_LEFT_BEHIND = """
import os, socket, subprocess, sys
for folder in ("/tmp", "/dev/shm", os.getcwd(), os.path.expanduser("~")):
    open(os.path.join(folder, "left"), "w").close()
subprocess.Popen(["sleep", "1000"], start_new_session=True)
held = socket.socket(socket.AF_UNIX)
held.bind("\\0left")
held.listen()
if os.fork() == 0:
    os.setsid()
    import time
    time.sleep(1000)
held_too = os.openpty()
"""
_FOUND = """
import os, socket
found = [f for f in ("/tmp", "/dev/shm", os.getcwd(), os.path.expanduser("~")) if "left" in os.listdir(f)]
with socket.socket(socket.AF_UNIX) as s:
    try:
        s.connect("\\0left")
        found.append("socket")
    except ConnectionRefusedError:
        pass
found += [n for n in os.listdir("/proc") if n.isdigit() and int(n) not in (1, os.getpid())]
found += [n for n in os.listdir("/dev/pts") if n != "ptmx"]
print(os.getpid(), found)
"""


@pytest.fixture
def warm() -> Iterator[WarmProcess]:
    made = WarmProcess()
    yield made
    made.close()


def shown(jail: Jail, code: str) -> str:
    run = jail.run_cell(code, "cell", 60, lambda header, jail: None)
    assert Ended.DONE == run.ended
    return "".join(content.get("text", "") for kind, content in run.output.messages if kind == "stream")


def keeper_of(jail: Jail) -> int:
    """Its number as it is seen from here."""
    name = f"kept-{next(_marks)}".encode()
    shown(jail, f"import ctypes\nctypes.CDLL(None).prctl(15, {name!r}, 0, 0, 0)")
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "comm").read_bytes().strip() == name:
                return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    raise AssertionError("a jail's process is not to be found")


def test_nothing_of_a_submission_is_there_for_the_next(warm: WarmProcess) -> None:
    """A student would find what another left, or see by a number how many were graded before."""
    before = warm.fork(None, {})
    assert Walls.NAMESPACES == warm.walls
    fresh = shown(before, _FOUND)
    shown(before, _LEFT_BEHIND)
    keeper = keeper_of(before)
    before.end()
    after = warm.fork(None, {})
    assert keeper == keeper_of(after)
    assert fresh == shown(after, _FOUND)
    after.end()


def test_a_keeper_that_was_killed_as_it_waited_is_replaced(warm: WarmProcess) -> None:
    """Where memory is short the kernel may choose it, and every later submission would be the grader's fault."""
    first = warm.fork(None, {})
    keeper = keeper_of(first)
    first.end()
    os.kill(keeper, signal.SIGKILL)
    second = warm.fork(None, {})
    assert "there\n" == shown(second, "print('there')")
    assert keeper != keeper_of(second)
    second.end()


def test_a_word_that_came_too_late_is_not_for_the_next(warm: WarmProcess) -> None:
    """A submission that ended as it was to be interrupted would have the next one interrupted."""
    first = warm.fork(None, {})
    keeper = keeper_of(first)
    first.run_cell("import os; os._exit(1)", "cell", 60, lambda header, jail: None)
    first._line.send(b"interrupt")
    second = warm.fork(None, {})
    assert keeper == keeper_of(second)
    assert "through\n" == shown(second, "import time; time.sleep(0.5); print('through')")
    second.end()


def test_processes_that_are_forked_do_not_share_keepers() -> None:
    """Two workers would hear each other's answers."""
    ours, theirs = socket.socketpair()
    keepers = Keepers()
    keepers.give(ours)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if keepers.take() is None else 1)
    assert 0 == os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert ours is keepers.take()
    theirs.close()
    ours.close()
