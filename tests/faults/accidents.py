"""Honest submissions in which something went wrong: what was done, and what grading has to make of it."""

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell

from tests.attacks.corpus import NAME, solved, source

ALL = 14.0
Change = Callable[[NotebookNode], None]


@dataclass(frozen=True)
class Accident:
    """One submission; ``verdicts`` are of stages that are not ``correct``."""

    name: str
    hand_in: Callable[[Path], None]
    score: float = ALL
    verdicts: dict[str, str] = field(default_factory=dict)
    status: str = "graded"
    flag: str | None = None


def _cell(code: str, *, after: str = "setup") -> Change:
    """A cell of the student's own."""

    def change(notebook: NotebookNode) -> None:
        notebook.cells.insert(_at(notebook, after) + 1, new_code_cell(code, id="own"))

    return change


def _solution(name: str, code: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        notebook.cells[_at(notebook, name)].source = code

    return change


def _at(notebook: NotebookNode, name: str) -> int:
    return next(
        i for i, c in enumerate(notebook.cells) if c.metadata.get("nbgrader", {}).get("grade_id") == name
    )


def _written(*changes: Change, file: str = NAME) -> Callable[[Path], None]:
    def hand_in(folder: Path) -> None:
        notebook = solved(source())
        for change in changes:
            change(notebook)
        (folder / file).write_text(json.dumps(notebook), encoding="utf-8")

    return hand_in


def _text(change: Callable[[str], str | bytes]) -> Callable[[Path], None]:
    """A file whose text was changed after it was saved."""

    def hand_in(folder: Path) -> None:
        made = change(json.dumps(solved(source()), indent=1))
        (folder / NAME).write_bytes(made if isinstance(made, bytes) else made.encode())

    return hand_in


def _old(version: int) -> Callable[[Path], None]:
    def hand_in(folder: Path) -> None:
        notebook = solved(source())
        if version == 3:
            notebook = nbformat.convert(notebook, 3)
        else:
            notebook.nbformat_minor = 0
            for cell in notebook.cells:
                del cell["id"]
        (folder / NAME).write_text(json.dumps(notebook), encoding="utf-8")

    return hand_in


def _without(name: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        del notebook.cells[_at(notebook, name)]

    return change


def _twice(name: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        double = copy.deepcopy(notebook.cells[_at(notebook, name)])
        double.id = "double"
        notebook.cells.insert(_at(notebook, name), double)

    return change


def _sections_moved(notebook: NotebookNode) -> None:
    """Softmax with its test, before the score matrix with its."""
    first = _at(notebook, "solution-score_matrix")
    notebook.cells[first : first + 4] = (
        notebook.cells[first + 2 : first + 4] + notebook.cells[first : first + 2]
    )


def _kernel(name: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        notebook.metadata["kernelspec"] = from_dict(
            {"name": name, "display_name": name, "language": "python"}
        )

    return change


def _windows_lines(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.source = cell.source.replace("\n", "\r\n")


def _exits_in_forward(notebook: NotebookNode) -> None:
    layer = notebook.cells[_at(notebook, "solution-layer")]
    layer.source = layer.source.replace("return weights @ values", "__import__('os')._exit(3)")
    assert "_exit" in layer.source


def _large_outputs(notebook: NotebookNode) -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": "x" * (8 << 20)}
    notebook.cells[0]["outputs"] = [from_dict(stream)]


def _nothing(folder: Path) -> None:
    pass


def _with_data(folder: Path) -> None:
    (folder / "numbers.txt").write_text("1 2 3", encoding="utf-8")
    code = "numbers = [float(n) for n in open('numbers.txt').read().split()]\nassert numbers == [1, 2, 3]"
    _written(_cell(code), _solution("solution-add", "def add(a, b):\n    return a + b + numbers[0] - 1"))(
        folder
    )


MATRIX, SOFTMAX = "simplified_attention.score_matrix", "simplified_attention.softmax"
PARAMETERS, PROJECTION = "self_attention.parameters", "self_attention.projection"
AFTER_FIRST = dict.fromkeys((MATRIX, SOFTMAX, PARAMETERS, PROJECTION), "not_reached")

CATCHES = """
import time
while True:
    try:
        time.sleep(1)
    except BaseException:
        pass
"""
_EXITS_ON_INFINITY = """
import os
def attention_weights(score_matrix):
    if not torch.isfinite(score_matrix).all():
        os._exit(3)
    return torch.softmax(score_matrix, dim=-1)
"""
_EXITS_LATER = """
import os
asked = []
def attention_weights(score_matrix):
    asked.append(1)
    if len(asked) == 4:
        os._exit(3)
    return torch.softmax(score_matrix, dim=-1) * 2
"""
SCORES = "simplified_attention.scores"


def _function(body: str) -> Change:
    return _solution("solution-scores", f"def scores_for(query, inputs):\n{body}")


ACCIDENTS = [
    Accident("no accident", _written()),
    # Cells of the student's own.
    Accident("memory", _written(_cell("held = []\nwhile True:\n    held.append(bytearray(1 << 22))"))),
    Accident("memory at once", _written(_cell("torch.ones(10 ** 10)"))),
    Accident("endless loop", _written(_cell("while True: pass"))),
    Accident("loop that catches all", _written(_cell(CATCHES, after="test-scores")), 2, AFTER_FIRST),
    Accident("long sleep", _written(_cell("import time\ntime.sleep(1000)"))),
    Accident("exits", _written(_cell("import os\nos._exit(3)", after="test-scores")), 2, AFTER_FIRST),
    Accident("exit()", _written(_cell("exit()", after="test-scores")), 2, AFTER_FIRST),
    Accident("sys.exit()", _written(_cell("import sys\nsys.exit()"))),
    Accident(
        "killed kernel", _written(_cell("import os\nos.kill(os.getpid(), 9)", after="test-scores")), 2, AFTER_FIRST
    ),
    Accident("crash", _written(_cell("import ctypes\nctypes.string_at(0)", after="test-scores")), 2, AFTER_FIRST),
    Accident("syntax error", _written(_cell("def f(:"))),
    Accident("name error", _written(_cell("undefined + 1"))),
    Accident("failing assert", _written(_cell("assert add(1, 1) == 3", after="solution-add"))),
    Accident("input", _written(_cell("name = input('name? ')"))),
    Accident("installs", _written(_cell("!pip install nothing-of-this-name\n%pip --version"))),
    Accident("magics", _written(_cell("%timeit -n1 -r1 1 + 1\n%time 1\n%no_such_magic"))),
    Accident("much output", _written(_cell("for n in range(100000): print('line', n)"))),
    Accident("one long line", _written(_cell("print('x' * 3000000)"))),
    Accident("warnings", _written(_cell("import warnings\nwarnings.warn('old')"))),
    Accident("warnings as errors", _written(_cell("import warnings\nwarnings.simplefilter('error')"))),
    Accident("threads left", _written(_cell("import threading\nthreading.Timer(99, print).start()"))),
    Accident("process left", _written(_cell("import subprocess\nsubprocess.Popen(['sleep', '99'])"))),
    Accident("folder changed", _written(_cell("import os\nos.chdir('/')"))),
    Accident("files written", _written(_cell("open('a.txt', 'w').write('a')\nopen('/tmp/a.txt', 'w').write('a')"))),
    Accident("file not there", _written(_cell("open('data.csv')"))),
    Accident("file beside", _with_data),
    Accident("file too large", _written(_cell("open('big', 'wb').write(bytes(20 << 20))"))),
    Accident("stdout replaced", _written(_cell("import io, sys\nsys.stdout = io.StringIO()"))),
    Accident("awaits", _written(_cell("import asyncio\nawait asyncio.sleep(0.01)"))),
    Accident("event loop started again", _written(_cell("import asyncio\nasyncio.run(asyncio.sleep(0))"))),
    Accident("no network", _written(_cell("import urllib.request\nurllib.request.urlopen('http://example.org')"))),
    Accident(
        "name of python's own", _written(_cell("sum = 0\nlist = [1]")), ALL - 2, flag="sum stands for something else"
    ),
    # Solutions.
    Accident("memory in a stage", _written(_function("    torch.ones(10 ** 10)")), ALL - 2, {SCORES: "out_of_memory"}),
    Accident("loop in a stage", _written(_function("    while True: pass")), ALL - 2, {SCORES: "timed_out"}),
    Accident("recursion", _written(_function("    return scores_for(query, inputs)")), ALL - 2, {SCORES: "raised"}),
    Accident("raises", _written(_function("    raise ValueError('no')")), ALL - 2, {SCORES: "raised"}),
    Accident("not written", _written(_function("    raise NotImplementedError")), ALL - 2, {SCORES: "missing"}),
    Accident("syntax error in a stage", _written(_function("    return inputs @")), ALL - 2, {SCORES: "missing"}),
    Accident("exit in a stage", _written(_function("    exit()")), 0, {SCORES: "diverges", **AFTER_FIRST}),
    Accident(
        "exit where an earlier stage is off",
        _written(
            _solution("solution-score_matrix", "def score_matrix(inputs):\n    return inputs @ inputs.T * torch.inf"),
            _solution("solution-softmax", _EXITS_ON_INFINITY),
        ),
        4,
        {MATRIX: "diverges", PARAMETERS: "not_reached", PROJECTION: "not_reached"},
    ),
    Accident(
        "exit after wrong answers",
        _written(_solution("solution-softmax", _EXITS_LATER)),
        4,
        {SOFTMAX: "diverges", PARAMETERS: "not_reached", PROJECTION: "not_reached"},
    ),
    Accident(
        "exit in forward", _written(_exits_in_forward), 8, {PROJECTION: "not_reached"}
    ),
    Accident("input in a stage", _written(_function("    input()")), ALL - 2, {SCORES: "raised"}),
    Accident("prints in a stage", _written(_function("    print(inputs)\n    return inputs @ query"))),
    Accident("warns in a stage", _written(_function("    torch.warnings.warn('x')\n    return inputs @ query"))),
    Accident("numpy", _written(_function("    return inputs.numpy() @ query.numpy()"))),
    Accident("loop and stack", _written(_function("    return torch.stack([x @ query for x in inputs])"))),
    Accident("changes its input", _written(_function("    inputs *= 1\n    return inputs @ query"))),
    # Cells and files.
    Accident(
        "solution deleted", _written(_without("solution-scores")), ALL - 2, {SCORES: "missing"}, flag="is missing"
    ),
    Accident("test deleted", _written(_without("test-scores")), flag="was put back"),
    Accident("solution twice", _written(_twice("solution-scores")), flag="more than once"),
    Accident("test twice", _written(_twice("test-scores")), flag="more than once"),
    Accident("sections moved", _written(_sections_moved), flag="moved behind"),
    Accident("another kernel", _written(_kernel("conda-env-attention-py"))),
    Accident("lines of windows", _written(_windows_lines)),
    Accident("outputs left in", _written(_large_outputs)),
    Accident("renamed", _written(file="target (1).ipynb"), flag="stands in place of"),
    Accident("format 4.0", _old(4)),
    Accident("format 3", _old(3)),
    Accident("byte order mark", _text(lambda text: b"\xef\xbb\xbf" + text.encode())),
    Accident("nothing handed in", _nothing, 0, status="unreadable"),
    Accident("empty file", _text(lambda text: ""), 0, status="unreadable"),
    Accident("half a file", _text(lambda text: text[: len(text) // 2]), 0, status="unreadable"),
    Accident("a page for a notebook", _text(lambda text: "<!DOCTYPE html><html></html>"), 0, status="unreadable"),
    Accident(
        "conflict of versions",
        _text(lambda text: re.sub(r'("cells")', r"<<<<<<< HEAD\n\1", text, count=1)),
        0,
        status="unreadable",
    ),
]  # fmt: skip
