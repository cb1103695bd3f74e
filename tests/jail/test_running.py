"""A cell's run comes to its end, whatever the cell does; nothing of it is left; and what was reached is known."""

import itertools
import os
import time
from pathlib import Path
from typing import Any

import pytest

from stagegrade.autograde import warm_process
from stagegrade.jail import CellRun, Ended, Jail

_marks = itertools.count(1)


def nobody_answers(header: dict[str, Any], jail: Jail) -> None:
    raise AssertionError(f"nothing is to be handed over here: {header}")


def run(jail: Jail, code: str, timeout: float | None = 20.0) -> CellRun:
    return jail.run_cell(code, "cell", timeout, nobody_answers)


def printed(found: CellRun) -> str:
    return "".join(content["text"] for kind, content in found.output.messages if kind == "stream")


def mark(jail: Jail) -> str:
    """Give a jail's process a name to find it by from outside, whatever number it has there."""
    name = f"mark-{os.getpid()}-{next(_marks)}"
    run(jail, f"import ctypes\nctypes.CDLL(None).prctl(15, b'{name}', 0, 0, 0)")
    assert [name] == running(name)
    return name


def running(name: str) -> list[str]:
    """The processes of this name, or with it among their arguments, that are not only waiting to be collected."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            comm = (folder / "comm").read_text().strip()
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z" and (name == comm or name.encode() in arguments):
            found.append(name)
    return found


def gone(name: str) -> bool:
    """Whether the processes of this name are gone, or go within a few seconds."""
    deadline = time.monotonic() + 5
    while running(name) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not running(name)


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
    "showing": "from IPython.display import display\nwhile True:\n    display(1)",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS)
def test_an_endless_cell_is_interrupted_and_the_next_one_runs(code: str, jail: Jail) -> None:
    """One endless loop would cost the student everything that comes after it."""
    assert Ended.DONE == run(jail, "kept = 'from before'").ended
    began = time.monotonic()
    found = run(jail, "print('begun')\n" + code if not code.startswith("%%") else code, timeout=0.6)
    assert time.monotonic() - began < 20
    assert Ended.TIMED_OUT == found.ended
    after = run(jail, "print(kept)")
    assert Ended.DONE == after.ended
    assert printed(after).endswith("from before\n")


STUBBORN = {
    "catches it": "while True:\n    try:\n        while True:\n            x = 1\n"
    "    except BaseException:\n        x = 2",
    "ignores the signal": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    pass",
    "blocks it": "import signal\n"
    "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\nwhile True:\n    pass",
    "computes below Python": "sum(range(10**13))",
}


@pytest.mark.parametrize("code", STUBBORN.values(), ids=STUBBORN)
def test_a_cell_that_ignores_its_interruption_is_ended(code: str, jail: Jail) -> None:
    """One stubborn loop would hold up a whole class."""
    name = mark(jail)
    began = time.monotonic()
    # Long enough for the cell to have come to its loop on a machine that has much else to do.
    found = run(jail, "print('begun', flush=True)\n" + code, timeout=3)
    assert time.monotonic() - began < 20
    assert Ended.KILLED == found.ended
    assert "begun\n" == printed(found), "what it had shown is kept"
    assert gone(name)
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
    name = mark(jail)
    found = run(jail, code)
    assert Ended.DIED == found.ended
    assert "last words\n" == printed(found)
    assert gone(name)


@pytest.mark.parametrize("code", ["exit()", "quit()", "get_ipython().ask_exit()"])
def test_exit_ends_the_process_after_its_cell(code: str, jail: Jail) -> None:
    """``exit()`` would go on to the next cell, as it does not in Jupyter."""
    name = mark(jail)
    found = run(jail, f"print('before')\n{code}\nprint('to the end of the cell')")
    assert (Ended.DONE, "before\nto the end of the cell\n") == (found.ended, printed(found))
    assert Ended.DIED == run(jail, "print('not run')").ended
    assert gone(name)


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


def test_a_flood_past_python_ends_and_the_next_cell_runs(jail: Jail) -> None:
    """What other code writes to the descriptor lies in memory until it is read, and would fill it."""
    found = run(jail, "import os\nwhile True:\n    os.write(1, b'x' * 100_000)", timeout=3)
    assert found.ended in (Ended.TIMED_OUT, Ended.DONE), "interrupted, or refused by the system"
    assert found.reply is not None
    assert "error" == found.reply["status"]
    assert "after\n" == printed(run(jail, "print('after')"))[-6:]


def test_a_flood_of_displays_is_cut(jail: Jail) -> None:
    """A notebook would have a hundred thousand outputs, and no browser would open it."""
    found = run(
        jail, "from IPython.display import display\nfor i in range(10_001):\n    display(i)", timeout=60
    )
    assert found.output.cut
    assert 10_000 == len(found.output.messages)


def test_a_background_thread_does_not_keep_a_cell_or_the_process(jail: Jail) -> None:
    """A thread left running would hold up the end of grading, or be graded for ever."""
    name = mark(jail)
    code = (
        "import threading, time\ndef spin():\n    while True:\n        time.sleep(0.01); print('.', end='')\n"
    )
    assert Ended.DONE == run(jail, code + "threading.Thread(target=spin).start()").ended
    assert printed(run(jail, "time.sleep(0.3)\nprint('done')")).endswith("done\n")
    jail.end()
    assert gone(name)


def test_what_a_cell_started_goes_when_the_notebook_ends(jail: Jail) -> None:
    """Students' processes would pile up on the grading machine."""
    run(jail, "import subprocess\nsubprocess.Popen(['sleep', '1234.5'])")
    assert running("1234.5")
    jail.end()
    jail.end()  # twice does no harm
    assert gone("1234.5")


def test_a_process_that_exits_leaves_nothing(jail: Jail) -> None:
    """A process that exits would leave its children behind, as nobody ends what is already gone."""
    run(jail, "import subprocess, os\nsubprocess.Popen(['sleep', '1234.6'])\nos._exit(0)")
    assert gone("1234.6")


def test_an_interrupt_at_any_moment_breaks_no_frame(jail: Jail) -> None:
    """An interrupt in the middle of a frame would garble the line, and the cells that follow would be lost."""
    code = "from IPython.display import display\nwhile True:\n    print('x' * 300_000)\n    display('y' * 300_000)"
    for timeout in (0.05, 0.1, 0.15, 0.2, 0.25):
        # A fast machine fills the room for output before the time is up: it is interrupted all the same.
        assert run(jail, code, timeout).ended in (Ended.TIMED_OUT, Ended.FLOODED)
    # Of what comes after, nothing may be kept, for the room that a notebook has is used up; but it runs.
    after = run(jail, "1 + 1")
    assert after.reply is not None
    assert (Ended.DONE, "ok") == (after.ended, after.reply["status"])


def test_an_interrupt_from_the_cell_itself_is_a_keyboard_interrupt(jail: Jail) -> None:
    """A cell that interrupts itself would end the process."""
    found = run(jail, "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)")
    assert found.reply is not None
    assert (Ended.DONE, "KeyboardInterrupt") == (found.ended, found.reply["ename"])


def test_an_interrupt_between_cells_is_nothing(jail: Jail) -> None:
    """An interrupt that comes when its cell is just done would end the process."""
    for _ in range(30):
        jail.interrupt()
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
        code = (
            "import random, torch, numpy\nprint(random.random(), torch.rand(1).item(), numpy.random.rand())"
        )
        drawn.append(printed(run(jail, code)).split())
        jail.end()
    assert [] == [one for one, other in zip(*drawn, strict=True) if one == other]


def test_torch_says_nothing_of_the_machine(jail: Jail) -> None:
    """Its library for the processor complains behind the walls, on the stream that costs a plain test its points."""
    found = run(jail, "import torch\ntorch.softmax(torch.rand(3, 4) @ torch.rand(4, 5), dim=-1).sum();")
    assert [] == found.output.messages
