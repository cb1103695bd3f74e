"""A cell's run comes to its end, whatever the cell does; nothing of it is left; and what was reached is known."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from stagegrade.autograde import warm_process
from stagegrade.jail import CellRun, Ended, Jail


def nobody_answers(header: dict[str, Any], jail: Jail) -> None:
    raise AssertionError(f"nothing is to be handed over here: {header}")


def run(jail: Jail, code: str, timeout: float | None = 20.0) -> CellRun:
    return jail.run_cell(code, "cell", timeout, nobody_answers)


def printed(found: CellRun) -> str:
    return "".join(content["text"] for kind, content in found.output.messages if kind == "stream")


def is_running(pid: int) -> bool:
    """Whether a process is there and not only waiting to be collected."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    """Whether a process is gone, or goes within a few seconds."""
    deadline = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


ENDLESS = {
    "computing": "while True:\n    pass",
    "sleeping": "import time\ntime.sleep(100)",
    "in torch": "import torch\nx = torch.rand(200, 200)\nwhile True:\n    x @ x",
    "awaiting": "import asyncio\nawait asyncio.sleep(100)",
    "computing after an await": "import asyncio\nawait asyncio.sleep(0)\nwhile True:\n    pass",
    "in a thread that is waited for": "import threading, time\n"
    "thread = threading.Thread(target=time.sleep, args=(100,), daemon=True)\nthread.start()\nthread.join()",
    "in another program": "import subprocess\nsubprocess.run(['sleep', '100'])",
    "in a shell": "!sleep 100",
    "in bash": "%%bash\nsleep 100",
    "printing": "while True:\n    print('again and again')",
    "writing to the descriptor": "import os\nwhile True:\n    os.write(1, b'x' * 1000)",
    "showing": "from IPython.display import display\nwhile True:\n    display(1)",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS)
def test_an_endless_cell_is_interrupted_and_the_next_one_runs(code: str, jail: Jail) -> None:
    """One endless loop would cost the student everything that comes after it."""
    assert Ended.DONE == run(jail, "kept = 'from before'").ended
    began = time.monotonic()
    found = run(jail, "print('begun')\n" + code if not code.startswith("%%") else code, timeout=0.6)
    assert time.monotonic() - began < 4
    assert Ended.TIMED_OUT == found.ended
    after = run(jail, "print(kept)")
    assert Ended.DONE == after.ended
    assert printed(after).endswith("from before\n")


STUBBORN = {
    "catches it": "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    "ignores the signal": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    pass",
    "blocks it": "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\nwhile True:\n    pass",
    "computes below Python": "sum(range(10**13))",
}


@pytest.mark.parametrize("code", STUBBORN.values(), ids=STUBBORN)
def test_a_cell_that_ignores_its_interruption_is_ended(code: str, jail: Jail) -> None:
    """One stubborn loop would hold up a whole class."""
    began = time.monotonic()
    found = run(jail, "print('begun')\n" + code, timeout=0.6)
    assert time.monotonic() - began < 6
    assert Ended.KILLED == found.ended
    assert "begun\n" == printed(found), "what it had shown is kept"
    assert gone(jail.pid)
    assert not jail.alive
    assert Ended.DIED == run(jail, "1").ended, "a process that is gone runs nothing more"


DEATHS = {
    "os._exit": "import os\nprint('last words', flush=True)\nos._exit(0)",
    "a signal to itself": "import os, signal\nprint('last words', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)",
    "a fault in C": "import ctypes\nprint('last words', flush=True)\nctypes.string_at(0)",
    "a closed line": "print('last words', flush=True)\nimport os\nos.closerange(3, 200)",
}


@pytest.mark.parametrize("code", DEATHS.values(), ids=DEATHS)
def test_a_cell_that_ends_the_process_is_known_to_have_done_so(code: str, jail: Jail) -> None:
    """A submission that exits would be waited for, or would take the grader along."""
    found = run(jail, code)
    assert Ended.DIED == found.ended
    assert "last words\n" == printed(found)
    assert gone(jail.pid)


@pytest.mark.parametrize("code", ["exit()", "quit()", "get_ipython().ask_exit()"])
def test_exit_ends_the_process_after_its_cell(code: str, jail: Jail) -> None:
    """``exit()`` would go on to the next cell, as it does not in Jupyter."""
    found = run(jail, f"print('before')\n{code}\nprint('to the end of the cell')")
    assert (Ended.DONE, "before\nto the end of the cell\n") == (found.ended, printed(found))
    assert Ended.DIED == run(jail, "print('not run')").ended
    assert gone(jail.pid)


def test_sys_exit_ends_the_cell_alone(jail: Jail) -> None:
    """``sys.exit()``, which a kernel survives, would cost the cells after it."""
    found = run(jail, "import sys\nsys.exit(1)\nprint('not printed')")
    assert found.reply is not None
    assert "SystemExit" == found.reply["ename"]
    assert "goes on\n" == printed(run(jail, "print('goes on')"))


def test_no_timeout_is_no_timeout(jail: Jail) -> None:
    """nbgrader's ``timeout = None`` would be taken for none left."""
    assert "slept\n" == printed(run(jail, "import time\ntime.sleep(0.3)\nprint('slept')", timeout=None))


def test_a_flood_of_output_is_cut_and_its_beginning_kept(jail: Jail) -> None:
    """Fifty megabytes on one line would be kept in the gradebook's folder for good."""
    found = run(jail, "print('first')\nfor i in range(60):\n    print('x' * 1_000_000)\nprint('last')")
    assert found.output.cut
    assert printed(found).startswith("first\n")
    assert len(printed(found)) < 17 << 20
    assert "after\n" == printed(run(jail, "print('after')"))


def test_a_flood_of_displays_is_cut(jail: Jail) -> None:
    """A notebook would have a hundred thousand outputs, and no browser would open it."""
    found = run(jail, "from IPython.display import display\nfor i in range(12_000):\n    display(i)", timeout=60)
    assert found.output.cut
    assert 10_000 == len(found.output.messages)


def test_a_background_thread_does_not_keep_a_cell_or_the_process(jail: Jail) -> None:
    """A thread left running would hold up the end of grading, or be graded for ever."""
    code = "import threading, time\ndef spin():\n    while True:\n        time.sleep(0.01); print('.', end='')\n"
    assert Ended.DONE == run(jail, code + "threading.Thread(target=spin).start()").ended
    assert printed(run(jail, "time.sleep(0.3)\nprint('done')")).endswith("done\n")
    jail.end()
    assert gone(jail.pid)


def test_what_a_cell_started_goes_when_the_notebook_ends(jail: Jail) -> None:
    """Students' processes would pile up on the grading machine."""
    found = run(jail, "import subprocess\nprint(subprocess.Popen(['sleep', '100']).pid)")
    child = int(printed(found))
    assert is_running(child) or is_running(jail.pid)
    jail.end()
    jail.end()  # twice does no harm
    assert gone(jail.pid)
    group = [
        path.parent.name
        for path in Path("/proc").glob("[0-9]*/stat")
        if _group_of(path) == jail.pid and is_running(int(path.parent.name))
    ]
    assert [] == group


def _group_of(stat: Path) -> int | None:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[2])
    except OSError:
        return None


def test_a_child_that_dies_by_itself_leaves_nothing(tmp_path: Path) -> None:
    """A process that exits would leave its children behind, as nobody ends what is already gone."""
    jail = warm_process().fork(tmp_path, {})
    run(jail, "import subprocess, os\nsubprocess.Popen(['sleep', '100'])\nos._exit(0)")
    jail.end()
    left = [p for p in Path("/proc").glob("[0-9]*/stat") if _group_of(p) == jail.pid]
    assert [] == [p for p in left if not gone(int(p.parent.name))]


def test_an_interrupt_at_any_moment_breaks_no_frame(jail: Jail) -> None:
    """An interrupt in the middle of a frame would garble the line, and the cells that follow would be lost."""
    code = "from IPython.display import display\nwhile True:\n    print('x' * 300_000)\n    display('y' * 300_000)"
    for timeout in (0.05, 0.1, 0.15, 0.2, 0.25):
        assert Ended.TIMED_OUT == run(jail, code, timeout).ended
    assert "whole\n" == printed(run(jail, "print('whole')"))


def test_an_interrupt_from_the_cell_itself_is_a_keyboard_interrupt(jail: Jail) -> None:
    """A cell that interrupts itself would end the process."""
    found = run(jail, "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)")
    assert found.reply is not None
    assert (Ended.DONE, "KeyboardInterrupt") == (found.ended, found.reply["ename"])


def test_an_interrupt_between_cells_is_nothing(jail: Jail) -> None:
    """An interrupt that comes when its cell is just done would end the process."""
    run(jail, "1")
    os.kill(jail.pid, signal.SIGINT)
    assert "runs\n" == printed(run(jail, "print('runs')"))


def test_processes_forked_from_one_know_nothing_of_each_other(tmp_path: Path) -> None:
    """One student's variables, files of modules or random numbers would be another's."""
    one, other = (warm_process().fork(tmp_path, {}) for _ in range(2))
    run(one, "import torch, sys\nsecret = 1\nsys.path.append('mine')\ntorch.nn.functional.softmax = None")
    found = run(
        other,
        "import torch, sys\nprint('secret' in globals(), 'mine' in sys.path, torch.nn.functional.softmax is None)",
    )
    assert "False False False\n" == printed(found)
    for jail in (one, other):
        jail.end()


def test_every_process_starts_with_fresh_random_numbers(tmp_path: Path) -> None:
    """Forks would all draw the same numbers, which no two kernels do."""
    drawn = []
    for _ in range(2):
        jail = warm_process().fork(tmp_path, {})
        code = "import random, torch, numpy\nprint(random.random(), torch.rand(1).item(), numpy.random.rand())"
        drawn.append(printed(run(jail, code)).split())
        jail.end()
    assert [] == [one for one, other in zip(*drawn, strict=True) if one == other]
