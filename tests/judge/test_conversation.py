"""Judge and student's code on two sides of the wall: whatever the code does, its stage has a verdict."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stagegrade.autograde import warm_process
from stagegrade.diagnosis import StageVerdict, Verdict
from stagegrade.jail import CellRun, Ended, Jail
from stagegrade.judge import Judge, Offer
from stagegrade.pipelines import find

CALL_TIMEOUT = 0.7


class Notebook:
    """Cells in a jail of their own, with a judge beside it."""

    def __init__(self, folder: Path, pipeline: str = "query_key_value") -> None:
        self.jail = warm_process().fork(folder, {})
        self.judge = Judge(find(pipeline, [folder]), 7, CALL_TIMEOUT)
        self.heard: list[StageVerdict] = []

    def hear(self, header: dict[str, Any], jail: Jail) -> None:
        self.heard.append(self.judge.hear(Offer.read(header), jail))
        if jail.alive:
            jail.send({"do": "close"})

    def run(self, code: str, timeout: float = 20) -> CellRun:
        return self.jail.run_cell(code, "cell", timeout, self.hear)

    def verdict(self, function: str, stage: str = "scores", name: str = "scores") -> StageVerdict:
        """The verdict for ``function``, which a cell defines and another hands over."""
        self.run(function)
        self.run(f"import stageprobe; stageprobe.answer('query_key_value.{stage}', {name})")
        return self.heard[-1]

    def goes_on(self) -> bool:
        """Whether the process is alive, hears the judge, and prints what it should."""
        after = self.run("print('goes on')")
        right = self.verdict("def softmax(scaled):\n    return scaled.softmax(-1)", "softmax", "softmax")
        printed = [content["text"] for kind, content in after.output.messages if kind == "stream"]
        return right.passed and ["goes on\n"] == printed


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    made = Notebook(tmp_path)
    yield made
    made.jail.end()


RIGHT = "def scores(query, keys):\n    {}\n    return keys @ query"


def right_after(line: str) -> str:
    return RIGHT.format(line.replace("\n", "\n    "))


LATE = {
    "a loop": "while True:\n    pass",
    "a loop on the second case alone": "if keys.shape[0] != 6:\n    while True: pass",
    "asleep": "import time; time.sleep(100)",
    "another program": "import subprocess; subprocess.run(['sleep', '100'])",
    "a lock": "import threading; threading.Lock().acquire(); lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "printing for ever": "while True: print('x' * 100)",
    "writing for ever to the descriptor": "import os\nwhile True: os.write(1, b'x')",
    "endless recursion in a string": "class S(str):\n    def __str__(self):\n        while True: pass\nreturn S('x')",
}


@pytest.mark.parametrize("line", LATE.values(), ids=LATE)
def test_a_function_that_does_not_return_is_interrupted_and_the_notebook_goes_on(
    line: str, notebook: Notebook
) -> None:
    """One endless function would cost the student every stage after it."""
    began = time.monotonic()
    found = notebook.verdict(right_after(line))
    assert Verdict.TIMED_OUT == found.verdict
    assert f"{CALL_TIMEOUT:g} s" in found.message
    assert time.monotonic() - began < 10 * CALL_TIMEOUT, "every question was waited for"
    assert notebook.goes_on()


def test_a_function_that_ignores_its_interruption_ends_the_notebook(notebook: Notebook) -> None:
    """One stubborn function would hold up a whole class."""
    line = "while True:\n    try:\n        while True:\n            x = 1\n    except BaseException:\n        x = 2"
    began = time.monotonic()
    assert Verdict.TIMED_OUT == notebook.verdict(right_after(line)).verdict
    assert time.monotonic() - began < 10
    assert not notebook.jail.alive
    assert Ended.DIED == notebook.run("print('not run')").ended


LOST = {
    "os._exit": "import os; os._exit(0)",
    "a signal to itself": "import os; os.kill(os.getpid(), 9)",
    "a fault in C": "import ctypes; ctypes.string_at(0)",
}


@pytest.mark.parametrize("line", LOST.values(), ids=LOST)
def test_a_function_that_ends_the_process_is_lost(line: str, notebook: Notebook) -> None:
    """A process that dies under the judge's questions would be waited for, or end the run."""
    assert Verdict.LOST == notebook.verdict(right_after(line)).verdict
    assert not notebook.jail.alive


FINE = {
    "prints thousands of lines": "for i in range(5000): print('line', i)",
    "prints to both": "import sys\nprint('out'); print('err', file=sys.stderr)",
    "prints past Python": "import os; os.write(1, b'past\\n'); os.system('echo past')",
    "displays": "from IPython.display import display; display(query)",
    "clears": "from IPython.display import clear_output; clear_output()",
    "warns": "import warnings; warnings.warn('look out')",
    "logs": "import logging; logging.warning('logged')",
    "exits and catches it": "import sys\ntry: sys.exit()\nexcept SystemExit: pass",
    "forks": "import os\npid = os.fork()\nif not pid: os._exit(0)\nos.waitpid(pid, 0)",
    "starts a thread": "import threading; threading.Thread(target=print, args=('from a thread',)).start()",
    "seeds": "import torch; torch.manual_seed(0)",
    "sets the default dtype": "import torch; torch.set_default_dtype(torch.float64)",
    "turns gradients off": "import torch; torch.set_grad_enabled(False)",
    "changes the folder": "import os; os.chdir('/')",
    "replaces print": "import builtins; builtins.print = None",
    "uses a global of its own": "global count\ncount = globals().get('count', 0) + 1",
}


@pytest.mark.parametrize("line", FINE.values(), ids=FINE)
def test_what_a_right_function_does_besides_is_its_own_affair(line: str, notebook: Notebook) -> None:
    """A right answer would be lost for a print, a display or a setting beside it."""
    found = notebook.verdict(right_after(line))
    assert Verdict.CORRECT == found.verdict, found.message
    if "replaces print" not in line and "builtins" not in line:
        assert notebook.goes_on()


def test_what_is_printed_for_the_judge_is_not_the_cells(notebook: Notebook) -> None:
    """The grade cell would fill with the student's prints for cases that the student never saw."""
    notebook.run(right_after("print('seen', query)"))
    found = notebook.run(
        "print('before')\nimport stageprobe\n"
        "stageprobe.answer('query_key_value.scores', scores)\nprint('after')"
    )
    assert [("stream", {"name": "stdout", "text": "before\nafter\n"})] == found.output.messages


def test_an_error_says_in_which_cell_and_line(notebook: Notebook) -> None:
    """A student would be told that something is wrong, and not where."""
    notebook.run("1")
    found = notebook.verdict("def scores(query, keys):\n    deeper = keys.T\n    return keys @ query[:-1]")
    assert Verdict.RAISED == found.verdict
    place = {key: found.evidence[key] for key in ("cell", "line", "code")}
    assert {"cell": "In[2]", "line": 3, "code": "return keys @ query[:-1]"} == place


def test_the_judges_time_does_not_count_against_the_cell(notebook: Notebook) -> None:
    """A slow function would be cut off by the cell's timeout, though each call is within its own."""
    notebook.run(right_after("import time; time.sleep(0.15)"))
    found = notebook.run(
        "import stageprobe\nstageprobe.answer('query_key_value.scores', scores)\nprint('after')", timeout=1
    )
    assert (Ended.DONE, True) == (found.ended, notebook.heard[-1].passed)


def test_an_answer_in_the_middle_of_a_cell_that_runs_out_of_time(notebook: Notebook) -> None:
    """What was decided before a cell's end would be lost with it, or the time after it be free."""
    notebook.run(RIGHT.format("pass"))
    found = notebook.run(
        "import stageprobe\nstageprobe.answer('query_key_value.scores', scores)\nwhile True:\n    pass",
        timeout=1,
    )
    assert (Ended.TIMED_OUT, True) == (found.ended, notebook.heard[-1].passed)
    assert notebook.goes_on()


def test_a_cell_that_awaits_can_hand_over(notebook: Notebook) -> None:
    """A test with ``await`` in it would not get through to the judge."""
    notebook.run(RIGHT.format("pass"))
    notebook.run(
        "import asyncio, stageprobe\nawait asyncio.sleep(0)\nstageprobe.answer('query_key_value.scores', scores)"
    )
    assert notebook.heard[-1].passed


def test_a_process_that_a_cell_forked_is_not_heard(notebook: Notebook) -> None:
    """Two processes would speak on one line."""
    notebook.run(RIGHT.format("pass"))
    found = notebook.run(
        "import os, stageprobe\npid = os.fork()\nif pid == 0:\n    try:\n"
        "        stageprobe.answer('query_key_value.scores', scores)\n    except RuntimeError as error:\n"
        "        print(error, flush=True)\n    os._exit(0)\nos.waitpid(pid, 0);"
    )
    assert "a process that a cell forked" in found.output.messages[0][1]["text"]
    assert [] == notebook.heard
    assert notebook.goes_on()


def test_a_function_that_hands_something_over_itself_loses_its_own_stage(notebook: Notebook) -> None:
    """An answer within an answer would be taken for the first one's."""
    nested = right_after("import stageprobe; stageprobe.answer('query_key_value.softmax', scores)")
    assert not notebook.verdict(nested).passed


def test_a_user_interrupt_in_a_call_is_that_calls_end(notebook: Notebook) -> None:
    """An interrupt that the code sends itself would be waited for, or end the notebook."""
    interrupts = "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(0.2)"
    assert Verdict.TIMED_OUT == notebook.verdict(right_after(interrupts)).verdict
    assert notebook.goes_on()


LAYER = """
import torch
from torch import nn

class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        {0}
        queries, keys, values = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        {1}
        scores = queries @ keys.mT
        {2}
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        {3}
        contexts = weights @ values
        {4}
        return contexts
"""
INSIDE = ("projection", "scores", "scaling", "context", "context")
ENDLESS = "while inputs.dim(): pass"


@pytest.mark.parametrize("place", [0, 2, 4])
def test_an_endless_loop_in_forward_is_put_down_to_the_stage_that_it_keeps_from_being_reached(
    place: int, tmp_path: Path
) -> None:
    """A student would look for the loop in the projection, whatever stage it stands in."""
    notebook = Notebook(tmp_path, "self_attention")
    try:
        notebook.run(LAYER.format(*(ENDLESS if i == place else "pass" for i in range(5))))
        for stage in ("projection", "scores", "scaling", "softmax", "context"):
            notebook.run(f"import stageprobe; stageprobe.answer('self_attention.{stage}', SelfAttention_v1)")
    finally:
        notebook.jail.end()
    verdicts = {verdict.stage: str(verdict.verdict) for verdict in notebook.heard}
    at = list(verdicts).index(INSIDE[place])
    expected = ["correct"] * at + ["timed_out"] + ["not_reached"] * (4 - at)
    assert expected == list(verdicts.values())


def test_a_loop_that_is_endless_for_one_input_alone_shows_no_stage(tmp_path: Path) -> None:
    """The stages of another call, which came to its end, would be given for the one that did not."""
    notebook = Notebook(tmp_path, "self_attention")
    try:
        notebook.run(LAYER.format("pass", "pass", "pass", "pass", "while inputs.shape == (6, 3): pass"))
        notebook.run("import stageprobe; stageprobe.answer('self_attention.context', SelfAttention_v1)")
    finally:
        notebook.jail.end()
    verdicts = {verdict.stage: str(verdict.verdict) for verdict in notebook.judge.verdicts}
    assert {"context": "not_reached"} == verdicts
