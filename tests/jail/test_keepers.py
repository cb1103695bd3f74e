"""A keeper keeps one submission after another, and nothing of one is there for the next."""

import itertools
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stagegrade.jail import Ended, Jail, Walls, WarmProcess, _warm
from stagegrade.jail._keepers import Keepers
from tests.jail.test_walls import as_user

_marks = itertools.count(1)

# What is not a submission's alone can be marked by its owner, who for an ordinary user is the same for all of them.
_SHARED = '("/", "/dev", "/dev/pts", "/dev/pts/ptmx", "/proc", "/proc/1/status", "/proc/1/net", "/tmp")'

LEAVE = f"""
import os, socket, subprocess, tempfile
for folder in (tempfile.gettempdir(), "/dev/shm", os.getcwd(), os.path.expanduser("~")):
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
for path in {_SHARED}:
    for mark in (lambda: os.utime(path, (12345, 12345)), lambda: os.chmod(path, 0)):
        try:
            mark()
        except OSError:
            pass
"""
FIND = f"""
import os, socket, tempfile
folders = tempfile.gettempdir(), "/dev/shm", os.getcwd(), os.path.expanduser("~")
found = [folder for folder in folders if "left" in os.listdir(folder)]
with socket.socket(socket.AF_UNIX) as s:
    try:
        s.connect("\\0left")
        found.append("socket")
    except ConnectionRefusedError:
        pass
found += [n for n in os.listdir("/proc") if n.isdigit() and int(n) != os.getpid()]
found += [n for n in os.listdir("/dev/pts") if n != "ptmx"]
for path in filter(os.path.exists, {_SHARED}):
    if os.stat(path).st_mtime == 12345 or os.stat(path).st_mode & 0o777 == 0:
        found.append(path)
print(found)
"""
SUCCESSION = f"""
from stagegrade.jail import Walls, WarmProcess
# Behind weaker ones the marks would be left on this machine.
warm = WarmProcess(walls=Walls.NAMESPACES)
for code in ({FIND!r}, {LEAVE!r}, {FIND!r}):
    jail = warm.fork(None, {{}})
    run = jail.run_cell(code, "cell", 60, None)
    print(warm.walls, run.ended, (run.reply or {{}}).get("evalue", ""))
    print(*(content.get("text", "") for _, content in run.output.messages), end="")
    jail.end()
warm.close()
"""


@pytest.fixture(params=[None, Walls.NONE], ids=["all walls", "none"])
def warm(request: pytest.FixtureRequest) -> Iterator[WarmProcess]:
    made = WarmProcess(walls=request.param)
    yield made
    made.close()


def shown(jail: Jail, code: str) -> str:
    run = jail.run_cell(code, "cell", 60, lambda header, jail: None)
    assert Ended.DONE == run.ended
    return "".join(content.get("text", "") for kind, content in run.output.messages if kind == "stream")


def numbers_of(name: bytes) -> list[tuple[int, int]]:
    """The processes with a name, and their parents, as they are numbered here."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "comm").read_bytes().strip() == name:
                found.append(
                    (int(folder.name), int((folder / "stat").read_text().rpartition(")")[2].split()[1]))
                )
        except OSError:
            continue
    return found


def keeper_of(jail: Jail) -> int:
    name = f"{os.getpid()}-{next(_marks)}".encode()
    shown(jail, f"import ctypes\nctypes.CDLL(None).prctl(15, {name!r}, 0, 0, 0)")
    ((_, keeper),) = numbers_of(name)
    return keeper


@pytest.mark.parametrize("before", [[], as_user()], ids=["root", "a user"])
def test_nothing_of_a_submission_is_there_for_the_next(before: list[str]) -> None:
    """A student would find what another left, or could not open a terminal any more."""
    done = subprocess.run(
        [*before, sys.executable, "-c", SUCCESSION], capture_output=True, text=True, check=False, cwd="/"
    )
    ran = f"{Walls.NAMESPACES} {Ended.DONE} \n"
    assert f"{ran}[]\n{ran}{ran}[]\n" == done.stdout, done.stderr


def test_a_submission_is_numbered_as_if_it_were_the_first() -> None:
    """What a notebook shows would tell how many were graded before it, and differ each time that it is graded."""
    made = WarmProcess()
    seen = set()
    for _ in range(3):
        jail = made.fork(None, {})
        seen.add(
            shown(jail, "import os, threading\nthreading.Thread(target=int).start()\nprint(os.getpid())")
        )
        jail.end()
    made.close()
    known = os.access("/proc/sys/kernel/ns_last_pid", os.W_OK)
    assert len(seen) == 1 or not known


def test_what_a_submission_started_ends_with_it(warm: WarmProcess) -> None:
    """It would slow the next one down, and count as its own."""
    name = f"{os.getpid()}-{next(_marks)}".encode()
    first = warm.fork(None, {})
    keeper = keeper_of(first)
    shown(
        first,
        "import ctypes, os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        f"        ctypes.CDLL(None).prctl(15, {name!r}, 0, 0, 0)\n        time.sleep(1000)\n    os._exit(0)\n"
        "os.wait()\ntime.sleep(0.2)",
    )
    assert 1 == len(numbers_of(name))
    first.end()
    assert [] == numbers_of(name)
    second = warm.fork(None, {})
    assert keeper == keeper_of(second)
    second.end()


@pytest.mark.parametrize(
    ("word", "warm"),
    [(signal.SIGKILL, None), (signal.SIGSTOP, Walls.NONE)],
    ids=["killed", "stopped"],
    indirect=["warm"],
)
def test_a_keeper_that_is_lost_as_it_waits_is_replaced(
    word: signal.Signals, warm: WarmProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where memory is short the kernel may choose it, and every later submission would be the grader's fault."""
    first = warm.fork(None, {})
    keeper = keeper_of(first)
    first.end()
    monkeypatch.setattr(_warm, "FORK_SECONDS", 3.0)
    monkeypatch.setattr("stagegrade.jail._jail.END_SECONDS", 0.5)
    os.kill(keeper, word)
    second = warm.fork(None, {})
    assert "there\n" == shown(second, "print('there')")
    assert keeper != keeper_of(second)
    second.end()
    if word == signal.SIGSTOP:
        os.kill(keeper, signal.SIGKILL)


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


def test_a_keeper_ends_with_the_warm_process_whoever_ends_first(warm: WarmProcess) -> None:
    """It would be left over, with a file open to it, for as long as the grader runs."""
    jail = warm.fork(None, {})
    keeper = keeper_of(jail)
    warm.close()
    jail.end()
    assert -1 == jail._line.fileno()
    for _ in range(100):
        if not Path("/proc", str(keeper)).exists():
            return
        time.sleep(0.05)
    raise AssertionError("the keeper is still there")


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
