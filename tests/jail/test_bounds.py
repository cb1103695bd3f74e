"""What a submission uses is bounded, each bound by itself, and nothing of it outlives it."""

import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stagegrade.jail import CellRun, Ended, Jail, Limits, WarmProcess
from stageprobe._kept import Why
from stageprobe._wire import Channel

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmProcess]:
    made = WarmProcess()
    yield made
    made.close()


def no_offers(header: object, jail: object) -> None:
    raise AssertionError("nothing is handed over here")


def run(jail: Jail, code: str, timeout: float = 80) -> CellRun:
    return jail.run_cell(code, "cell", timeout, no_offers)


def shown(found: CellRun) -> str:
    return "".join(content.get("text", "") for kind, content in found.output.messages if kind == "stream")


@pytest.mark.parametrize(
    ("limits", "code", "ended"),
    [
        # Each allocation succeeds until one would pass the bound; what several hold together is watched.
        pytest.param(
            {"memory_bytes": 96 << 20},
            "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        held = b'x' * (48 << 20)\n"
            "        time.sleep(100)\ntime.sleep(100)",
            Ended.OUT_OF_MEMORY,
            id="memory of all processes",
        ),
        pytest.param({"cpu_seconds": 1.0}, "while True: pass", Ended.OUT_OF_CPU, id="processor time"),
        pytest.param(
            {"cpu_seconds": 1.0},
            "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        while True: pass\ntime.sleep(100)",
            Ended.OUT_OF_CPU,
            id="processor time of children",
        ),
        pytest.param(
            {"notebook_seconds": 1.0},
            "import time; time.sleep(100)",
            Ended.OUT_OF_TIME,
            id="time of all cells",
        ),
        pytest.param(
            {"processes": 12},
            "import os, time\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
            Ended.TOO_MANY_PROCESSES,
            id="fork bomb",
        ),
        pytest.param(
            {"processes": 12},
            "import threading, time\nfor _ in range(40):\n    threading.Thread(target=time.sleep, args=(60,)).start()\n"
            "time.sleep(100)",
            Ended.TOO_MANY_PROCESSES,
            id="threads",
        ),
    ],
)
def test_a_bound_that_is_passed_ends_the_process(
    warm: WarmProcess, limits: dict, code: str, ended: Ended
) -> None:
    """One submission could take the machine from all others, and nobody would be told which bound it met."""
    jail = warm.fork(None, {}, Limits(**limits))
    found = run(jail, code)
    assert ended == found.ended
    assert not jail.alive


def test_the_bound_is_told_though_the_keeper_no_longer_listens() -> None:
    """Where keeper and judge end a submission at once, it would count as having died by itself, now and then."""
    (ours, others), (line, keepers) = socket.socketpair(), socket.socketpair(type=socket.SOCK_SEQPACKET)
    said = {"is": "ended", "why": Why.MEMORY, "status": None, "cpu": 1.0, "memory": 2}

    class Line(socket.socket):
        def send(self, *asked: Any) -> int:
            sent = super().send(*asked)
            keepers.send(json.dumps(said).encode())
            keepers.close()
            return sent

    jail = Jail(Channel(ours), Line(fileno=line.detach()), Limits(), socket.socket.close)
    jail.end()
    others.close()
    assert Ended.OUT_OF_MEMORY == jail.limit


@pytest.mark.parametrize(
    ("limits", "code", "error", "says"),
    [
        pytest.param(
            {"memory_bytes": 64 << 20},
            "held = bytearray(256 << 20)",
            "MemoryError",
            "",
            id="memory of one process",
        ),
        pytest.param(
            {"memory_bytes": 64 << 20},
            "import torch; torch.ones(64 << 20)",
            "RuntimeError",
            "can't allocate memory",
            id="memory of a tensor",
        ),
        pytest.param(
            {"open_files": 40},
            "held = [open('/dev/null') for _ in range(60)]",
            "OSError",
            "[Errno 24]",
            id="open files",
        ),
        pytest.param(
            {"file_bytes": 1 << 20},
            "open('big', 'wb').write(bytes(2 << 20))",
            "OSError",
            "[Errno 27]",
            id="size of a file",
        ),
        pytest.param(
            {"scratch_bytes": 4 << 20},
            "for n in range(8):\n    open(f'part{n}', 'wb').write(bytes(1 << 20))",
            "OSError",
            "[Errno 28]",
            id="size of all files",
        ),
        pytest.param(
            {"scratch_bytes": 4 << 20},
            "open('/dev/shm/shared', 'wb').write(bytes(8 << 20))",
            "OSError",
            "[Errno 28]",
            id="shared memory",
        ),
    ],
)
def test_a_bound_that_is_met_raises_in_the_code_that_met_it(
    warm: WarmProcess, limits: dict, code: str, error: str, says: str
) -> None:
    """An honest slip would end the notebook where the code could go on, or would not be told what it ran into."""
    jail = warm.fork(None, {}, Limits(**limits))
    found = run(jail, code)
    after = run(jail, "print('on')")
    jail.end()
    assert found.reply is not None
    assert error == found.reply["ename"]
    assert says in found.reply["evalue"]
    assert "on\n" == shown(after)


def test_output_without_end_is_stopped_and_its_beginning_kept(warm: WarmProcess) -> None:
    """Whatever a cell prints would be stored in every later file, and read by the grader until its timeout."""
    jail = warm.fork(None, {}, Limits(cell_output_bytes=256 << 10))
    found = run(jail, "print('first')\nwhile True: print('x' * 1000)")
    after = run(jail, "print('on')")
    jail.end()
    assert Ended.FLOODED == found.ended
    assert found.output.cut
    assert shown(found).startswith("first\n")
    assert 64 << 10 < len(shown(found)) <= 256 << 10
    assert "on\n" == shown(after)


def test_output_of_a_notebook_is_bounded_over_its_cells(warm: WarmProcess) -> None:
    """Many cells that each print what one may would store as much as their student likes."""
    jail = warm.fork(None, {}, Limits(cell_output_bytes=64 << 10, notebook_output_bytes=100 << 10))
    cut = [run(jail, "print('x' * 40000)").output.cut for _ in range(4)]
    jail.end()
    assert [False, False, True, True] == cut


def test_one_piece_of_output_beyond_the_bound_is_left_out_where_it_is_made(warm: WarmProcess) -> None:
    """A single huge message would break the line, and the submission with it."""
    jail = warm.fork(None, {}, Limits(cell_output_bytes=64 << 10))
    found = run(
        jail,
        "from IPython.display import display\ndisplay({'text/html': 'x' * (200 << 10)}, raw=True)\nprint('on')",
    )
    jail.end()
    assert Ended.DONE == found.ended
    assert found.output.cut
    assert "on\n" == shown(found)


def test_an_error_with_an_endless_text_is_still_an_error(warm: WarmProcess) -> None:
    """Its report would be larger than the line allows, and the process taken for broken."""
    jail = warm.fork(None, {})
    found = run(jail, "raise ValueError('x' * (100 << 20))")
    jail.end()
    assert Ended.DONE == found.ended
    assert found.reply is not None
    assert "ValueError" == found.reply["ename"]


LEFT_BEHIND = """
import os, signal, subprocess, time
for kind in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(kind, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv("/bin/sh", ["sh", "-c", "trap '' INT TERM HUP; sleep 87654; sleep 87654"])
    os._exit(0)
time.sleep(0.3)
"""


@pytest.mark.parametrize("how", ["ended", "exits", "is killed"])
def test_nothing_outlives_its_submission(warm: WarmProcess, how: str) -> None:
    """A detached process would go on after grading, with the next submission's time and files."""
    jail = warm.fork(None, {})
    run(jail, LEFT_BEHIND)
    assert 0 < len(sleepers(87654))
    if how == "exits":
        assert Ended.DIED == run(jail, "import os; os._exit(0)").ended
    elif how == "is killed":
        assert Ended.DIED == run(jail, "import os; os.kill(os.getpid(), 9)").ended
    jail.end()
    assert [] == sleepers(87654)


def sleepers(seconds: int) -> list[str]:
    """The processes of this machine that sleep for so many seconds."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] in (b"sh", b"sleep") and any(str(seconds).encode() in word for word in words):
            found.append(folder.name)
    return found


def test_a_submission_does_not_see_the_one_before(warm: WarmProcess) -> None:
    """What one leaves in a folder, in shared memory or in a module would reach the next."""
    leave = "import torch\nopen('/tmp/left', 'w')\nopen('/dev/shm/left', 'w')\ntorch.left = 1"
    first = warm.fork(None, {})
    assert Ended.DONE == run(first, leave).ended
    second = warm.fork(None, {})
    look = (
        "import os, torch\nprint(os.path.exists('/tmp/left'), os.listdir('/dev/shm'), hasattr(torch, 'left'))"
    )
    found = shown(run(second, look))
    first.end()
    second.end()
    assert "False [] False\n" == found


def test_files_beside_the_notebook_are_there_and_links_are_not(warm: WarmProcess, tmp_path: Path) -> None:
    """A notebook that reads its data would fail, or a link would hand over a file of the instructor's."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "numbers.csv").write_text("1,2\n", encoding="utf-8")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "large.bin").write_bytes(bytes(range(256)) * 65536)
    (tmp_path / "link.txt").symlink_to("/etc/hostname")
    (tmp_path / "folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "other.ipynb").write_text("{}", encoding="utf-8")
    jail = warm.fork(tmp_path, {})
    look = (
        "import hashlib, os\nprint(sorted(os.listdir()), open('data/numbers.csv').read().strip(),"
        " hashlib.sha256(open('large.bin', 'rb').read()).hexdigest()[:8])"
    )
    found = shown(run(jail, look))
    jail.end()
    digest = hashlib.sha256((tmp_path / "large.bin").read_bytes()).hexdigest()[:8]
    assert f"['data', 'empty.txt', 'large.bin'] 1,2 {digest}\n" == found


def test_what_is_interrupted_goes_on_with_the_next_cell(warm: WarmProcess) -> None:
    """A cell that waits in a shell command or a loop would take every later stage with it."""
    jail = warm.fork(None, {})
    awaits = "import asyncio\nawait asyncio.sleep(60)"
    for code in ("while True: pass", "!sleep 60", "import time\ntime.sleep(60)", awaits):
        assert Ended.TIMED_OUT == run(jail, code, 0.5).ended
    found = shown(run(jail, "print('on')"))
    jail.end()
    assert "on\n" == found


def test_the_grader_gone_ends_all_it_started() -> None:
    """After kill -9 of the grader, submissions would run on with nobody to end them."""
    code = (
        "from stagegrade.jail import WarmProcess\nimport os, time\nwarm = WarmProcess()\njail = warm.fork(None, {})\n"
        "jail.run_cell(\"import subprocess; subprocess.Popen(['sleep', '76543'])\", 'c', 20, None)\n"
        "print('running', flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        assert "running\n" == grader.stdout.readline()
        grader.kill()
    deadline = time.monotonic() + 10
    while sleepers(76543) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [] == sleepers(76543)
