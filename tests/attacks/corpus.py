"""The attacks as submissions: one small notebook each, made from a snippet, or from a release that was tampered with.

A snippet is a cell that is put before all others of a release whose solutions are not written. Its first lines say
what it tries, and after that, each on a line of its own: ``flag:`` what has to be among the flags, ``swap:`` two
cells that change places, ``markdown:`` a cell of text.
"""

import copy
import json
import os
import re
import socket
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HERE = Path(__file__).parent
ASSIGNMENT = "target"
NAME = f"{ASSIGNMENT}.ipynb"

_SETUP = "import torch"
_SCORES = """
def scores_for(query, inputs):
    ### BEGIN SOLUTION
    return inputs @ query
    ### END SOLUTION
"""
_MATRIX = """
def score_matrix(inputs):
    ### BEGIN SOLUTION
    return inputs @ inputs.T
    ### END SOLUTION
"""
_WEIGHTS = """
def attention_weights(score_matrix):
    ### BEGIN SOLUTION
    return torch.softmax(score_matrix, dim=-1)
    ### END SOLUTION
"""
_MODULE = """
class SelfAttention_v1(torch.nn.Module):
    ### BEGIN SOLUTION
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = torch.nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = torch.nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = torch.nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values
    ### END SOLUTION
    pass
"""
_ADD = """
def add(a, b):
    ### BEGIN SOLUTION
    return a + b
    ### END SOLUTION
"""
_TEST_ADD = """
assert add(2, 3) == 5, "two and three"
### BEGIN HIDDEN TESTS
assert add(20, 22) == 42
assert torch.allclose(add(torch.ones(2), torch.ones(2)), torch.full((2,), 2.0))
### END HIDDEN TESTS
"""
_TEST_COUNT = "sum(add(n, 1) == n + 1 for n in range(4)) / 2"


# The same tests as stock nbgrader would have them: asserts on a small example.
_ASSERTS = {
    "scores_for": "x = torch.arange(6.0).reshape(3, 2)\n"
    "assert torch.allclose(scores_for(x[1], x), torch.tensor([3.0, 13.0, 23.0]))",
    "score_matrix": "x = torch.arange(4.0).reshape(2, 2)\n"
    "assert torch.allclose(score_matrix(x), torch.tensor([[1.0, 3.0], [3.0, 13.0]]))",
    "attention_weights": "assert torch.allclose(attention_weights(torch.zeros(2, 2)), torch.full((2, 2), 0.5))",
    "SelfAttention_v1": "assert SelfAttention_v1(3, 2)(torch.ones(4, 3)).shape == (4, 2)\n"
    "assert len(list(SelfAttention_v1(3, 2).parameters())) == 3",
}


def source(*, stock: bool = False) -> NotebookNode:
    """The source notebook that all attacks are made against: staged tests, a plain test, and one of part points.

    ``stock``: with asserts in place of stages.
    """
    notebook: NotebookNode = new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}

    def cell(name: str, code: str, points: int | None = None, *, solution: bool = False) -> None:
        made = new_code_cell(code.strip(), id=name)
        made.metadata["nbgrader"] = {
            "grade_id": name, "grade": points is not None, "solution": solution, "locked": not solution,
            "task": False, "schema_version": 3, **({} if points is None else {"points": points}),
        }  # fmt: skip
        notebook.cells.append(made)

    def staged(name: str, stage: str, handed: str) -> None:
        hidden = _ASSERTS[handed] if stock else f'import stageprobe; stageprobe.answer("{stage}", {handed})'
        cell(name, f"### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS\nassert {handed}", 2)

    cell("setup", _SETUP)
    cell("solution-scores", _SCORES, solution=True)
    staged("test-scores", "simplified_attention.scores", "scores_for")
    cell("solution-score_matrix", _MATRIX, solution=True)
    staged("test-score_matrix", "simplified_attention.score_matrix", "score_matrix")
    cell("solution-softmax", _WEIGHTS, solution=True)
    staged("test-softmax", "simplified_attention.softmax", "attention_weights")
    cell("solution-layer", _MODULE, solution=True)
    staged("test-parameters", "self_attention.parameters", "SelfAttention_v1")
    staged("test-projection", "self_attention.projection", "SelfAttention_v1")
    cell("solution-add", _ADD, solution=True)
    cell("test-add", _TEST_ADD, 2)
    cell("test-count", _TEST_COUNT, 2)
    return notebook


def solved(source: NotebookNode, names: tuple[str, ...] | None = None) -> NotebookNode:
    """The source as a submission: with the solutions of the named cells, or of all."""
    made: NotebookNode = copy.deepcopy(source)
    for cell in made.cells:
        code = re.sub(r"### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n?", "", cell.source, flags=re.DOTALL)
        solution = r"( *)### BEGIN SOLUTION\n.*?### END SOLUTION"
        if names is not None and cell.metadata.nbgrader.grade_id not in names:
            code = re.sub(
                solution, r"\1# YOUR CODE HERE\n\1raise NotImplementedError()", code, flags=re.DOTALL
            )
        cell.source = re.sub(r" *### (BEGIN|END) SOLUTION\n?", "", code).strip()
    return made


@dataclass(frozen=True)
class Attack:
    """One attack; ``hand_in`` writes it into a submission's folder."""

    family: str
    name: str
    hand_in: Callable[[Path], None]
    flag: str | None = None
    """A pattern that one of the flags has to match."""
    readable: bool = True
    """Whether it is a notebook at all."""
    expect: frozenset[str] = field(default_factory=frozenset)

    @property
    def student(self) -> str:
        return f"{self.family}-{self.name}"


def attacks(release: NotebookNode, course: Path, port: int) -> list[Attack]:
    """All attacks against the notebook ``release``, given where the course is and a port that is listened to."""
    found = [_snippet(path, release, course, port) for path in sorted(HERE.glob("*/*.py"))]
    return [*found, *(_tampered(*entry, release) for entry in _TAMPERED), *_strange_files(release)]


def _snippet(path: Path, release: NotebookNode, course: Path, port: int) -> Attack:
    code = path.read_text(encoding="utf-8")
    said = dict(re.findall(r"^# (flag|swap|markdown|expect): (.*)$", code, flags=re.MULTILINE))
    made = copy.deepcopy(release)
    given = f"COURSE, PORT = {str(course)!r}, {port}\n"
    # After the setup, which the release has locked, and instead of nothing: solutions stay unwritten.
    names = re.findall(r"^(?:def|class) (\w+)", code, flags=re.MULTILINE)
    made.cells = [
        c
        for c in made.cells
        if not any(f"{kind} {n}(" in c.source for n in names for kind in ("def", "class"))
    ]
    made.cells.insert(1, new_code_cell(given + code, id="attack"))
    if "markdown" in said:
        made.cells.insert(0, new_markdown_cell(said["markdown"], id="text"))
    if "swap" in said:
        first, second = (_at(made, name) for name in said["swap"].split())
        made.cells[first], made.cells[second] = made.cells[second], made.cells[first]

    def hand_in(folder: Path) -> None:
        _write(made, folder / NAME)

    expect = frozenset(said.get("expect", "").split())
    return Attack(path.parent.name, path.stem, hand_in, said.get("flag"), expect=expect)


def _write(notebook: NotebookNode, path: Path) -> None:
    path.write_text(json.dumps(notebook), encoding="utf-8")


def _at(notebook: NotebookNode, grade_id: str) -> int:
    return next(
        i for i, c in enumerate(notebook.cells) if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    )


def _tests(notebook: NotebookNode) -> Iterator[NotebookNode]:
    return (c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade"))


def _skip_tags(notebook: NotebookNode) -> None:
    for cell in _tests(notebook):
        cell.metadata["tags"] = ["skip-execution"]


def _tests_deleted(notebook: NotebookNode) -> None:
    notebook.cells = [cell for cell in notebook.cells if not cell.metadata.get("nbgrader", {}).get("grade")]


def _tests_doubled(notebook: NotebookNode) -> None:
    for cell in list(_tests(notebook)):
        double = copy.deepcopy(cell)
        double.id, double.source = f"{cell.id}-again", "pass"
        notebook.cells.append(double)


def _points_raised(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["nbgrader"] |= {"points": 100, "solution": True, "locked": False}


def _tests_emptied(notebook: NotebookNode) -> None:
    for cell in _tests(notebook):
        cell.source = "2.0"


def _tests_to_text(notebook: NotebookNode) -> None:
    for cell in _tests(notebook):
        cell.cell_type = "markdown"
        del cell["outputs"], cell["execution_count"]


def _outputs_given(notebook: NotebookNode) -> None:
    data = {"text/plain": "2.0", "text/html": "<b>Right</b>"}
    result = {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1}
    for cell in _tests(notebook):
        cell.outputs = [from_dict(result)]


def _record_given(notebook: NotebookNode) -> None:
    record = {"schema": 1, "status": "graded", "score": 14, "max_score": 14, "stages": [], "flags": []}
    notebook.metadata["stagegrade"] = from_dict(record)
    for cell in notebook.cells:
        cell.metadata["stagegrade"] = from_dict(record)


def _checksums_given(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["nbgrader"] |= {
            "checksum": "0" * 32,
            "grade_id": f"../../{cell.id}/../../x",
            "schema_version": 99,
        }


def _other_kernel(notebook: NotebookNode) -> None:
    program = ["/bin/sh", "-c", "touch /tmp/pwned"]
    notebook.metadata["kernelspec"] = from_dict({"name": "../../pwned", "display_name": "x", "argv": program})
    notebook.metadata["language_info"] = from_dict({"name": "bash", "file_extension": "/../../../pwned"})


def _same_ids(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.id = "same"


def _text_for_instructors(notebook: NotebookNode) -> None:
    bad = "<script>alert(31337)</script><img src=x onerror=alert(31337)>"
    cell = new_markdown_cell(f"{bad} ![x](attachment:a)", id="text")
    cell["attachments"] = {
        "a": {"text/html": bad, "image/svg+xml": f"<svg onload='alert(31337)'>{bad}</svg>"}
    }
    notebook.cells.append(cell)


def _tags_of_markup(notebook: NotebookNode) -> None:
    bad = '"><script>alert(31337)</script>'
    cell = new_markdown_cell(f"text {bad}", id="text")
    cell.metadata |= {"tags": [bad], "name": bad, "title": bad, "slideshow": {"slide_type": bad}}
    notebook.cells.append(cell)
    notebook.metadata |= {"title": bad, "authors": [{"name": bad}], "widgets": {"31337": {"state": bad}}}


def _grade_ids_of_other_kinds(notebook: NotebookNode) -> None:
    for cell, name in zip(list(_tests(notebook)), (["test-add"], {"a": 1}, None, 1e308, True), strict=False):
        double = copy.deepcopy(cell)
        double.id, double.source = f"{cell.id}-kind", "2.0"
        double.metadata["nbgrader"] |= {"grade_id": name, "points": float("inf")}
        notebook.cells.insert(0, double)


def _test_among_the_solutions(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["nbgrader"] |= {"grade": True, "solution": True, "task": True, "points": -5}
        cell.metadata["tags"] = ["raises-exception", "skip-execution", "remove-cell"]


def _setup_undone(notebook: NotebookNode) -> None:
    last = notebook.cells.pop(0)
    notebook.cells.append(last)
    notebook.cells.insert(0, new_code_cell("class torch:\n    pass", id="false"))


_TAMPERED: tuple[tuple[str, Callable[[NotebookNode], None], str | None], ...] = (
    ("tests_skipped_by_tag", _skip_tags, None),
    ("tests_deleted", _tests_deleted, "was missing and was put back"),
    ("tests_doubled", _tests_doubled, "more than once"),
    ("points_raised", _points_raised, None),
    ("tests_emptied", _tests_emptied, "was changed and was put back"),
    ("tests_to_text", _tests_to_text, "from code to markdown"),
    ("outputs_given", _outputs_given, None),
    ("record_given", _record_given, None),
    ("names_with_paths", _checksums_given, "was missing and was put back"),
    ("other_kernel", _other_kernel, None),
    ("same_ids", _same_ids, None),
    ("text_for_instructors", _text_for_instructors, None),
    ("tags_of_markup", _tags_of_markup, None),
    ("grade_ids_of_other_kinds", _grade_ids_of_other_kinds, None),
    ("test_among_the_solutions", _test_among_the_solutions, None),
    ("setup_undone", _setup_undone, None),
)


def _tampered(
    name: str, change: Callable[[NotebookNode], None], flag: str | None, release: NotebookNode
) -> Attack:
    made = copy.deepcopy(release)
    change(made)
    return Attack("metadata", name, lambda folder: _write(made, folder / NAME), flag)


def _strange_files(release: NotebookNode) -> Iterator[Attack]:
    """Submissions whose files are the attack."""

    def beside(change: Callable[[Path], None]) -> Callable[[Path], None]:
        def hand_in(folder: Path) -> None:
            _write(release, folder / NAME)
            change(folder)

        return hand_in

    def links(folder: Path) -> None:
        (folder / "data.txt").symlink_to("../../../gradebook.db")
        (folder / "folder").symlink_to("/")
        (folder / "itself").symlink_to("itself")

    def pipe(folder: Path) -> None:
        os.mkfifo(folder / "data.csv")

    def device(folder: Path) -> None:
        try:
            os.mknod(folder / "zero.bin", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        except PermissionError:
            # Only root makes devices; a socket is the next best.
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(str(folder / "zero.bin"))

    def names(folder: Path) -> None:
        for name in (
            "-rf",
            "a\nb",
            "*",
            "[x]",
            "\x1b[2J",
            "über",
            "$(touch pwned)",
            "x" * 255,
            "nbgrader_config.py",
        ):
            (folder / name).write_text("pwned", encoding="utf-8")
        (folder / os.fsdecode(b"\xff\xfe")).write_text("pwned", encoding="utf-8")

    def archive(folder: Path) -> None:
        with zipfile.ZipFile(folder / "data.zip", "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("../../../pwned", bytes(50 << 20))

    def deep_folders(folder: Path) -> None:
        (folder / Path(*["d"] * 200)).mkdir(parents=True)

    def notebook(data: Any) -> Callable[[Path], None]:
        def hand_in(folder: Path) -> None:
            text = data if isinstance(data, bytes) else json.dumps(data).encode()
            (folder / NAME).write_bytes(text)

        return hand_in

    def linked(folder: Path) -> None:
        (folder / NAME).symlink_to(f"../../honest-right/{ASSIGNMENT}/{NAME}")

    def endless(folder: Path) -> None:
        (folder / NAME).symlink_to("/dev/zero")

    def is_folder(folder: Path) -> None:
        (folder / NAME).mkdir()

    def is_pipe(folder: Path) -> None:
        os.mkfifo(folder / NAME)

    deep = (
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": '
        + b"[" * 100_000
        + b"]" * 100_000
        + b"}"
    )
    wide = {**release, "cells": [{"cell_type": "code", "source": "1", "metadata": {}}] * 5000}
    number = b'{"nbformat": 4, "metadata": {}, "cells": [], "x": ' + b"9" * 1_000_000 + b"}"
    nested = '{"a":' * 5000 + "1" + "}" * 5000
    in_metadata = json.dumps(release).replace('"import torch"', f'"import torch", "x": {nested}')
    halves = json.dumps(release).replace("import torch", "import torch # \\ud800 \\u0000").encode()
    old = {
        "nbformat": 3,
        "metadata": {"name": "../../pwned"},
        "worksheets": [{"cells": [{"cell_type": 5}]}] * 3,
    }

    def named(folder: Path) -> None:
        _write(release, folder / "=HYPERLINK(31337) <img src=x onerror=alert(31337)>\u202e\x1b[2J.ipynb")

    text = json.dumps(release)
    record = '{"schema": 1, "status": "graded", "score": 14, "max_score": 14, "stages": [], "flags": []}'
    doubled = text.replace('"metadata": {', f'"metadata": {{"stagegrade": {record}, ', 1)
    doubled = (
        doubled[:-1]
        + f', "metadata": {{"stagegrade": {record}}}, "cells": [], "cells": {json.dumps(release.cells)}}}'
    )
    numbers = text.replace('"nbformat": 4', '"x": [NaN, Infinity, -Infinity, 1e999], "nbformat": 4').encode()
    ids = {**release, "cells": [{**cell, "id": "x" * 1_000_000} for cell in release.cells]}
    million = (
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [' + b"{}," * 1_000_000 + b"{}]}"
    )
    # Pieces that some program for Markdown, for HTML or for the colours of code takes for ever over.
    pieces = ("<div>", "\\begin{a}", "**a", "a.", "> ", "[a](b", "$a", "\x1b]", "`")
    kinds = ("markdown", "code")
    slow = [
        {"cell_type": kind, "source": p * (60_000 // len(p)), "metadata": {}}
        for p in pieces
        for kind in kinds
    ]
    slowly = {**release, "cells": [*release.cells, *slow]}

    def picture(folder: Path) -> None:
        (folder / "a.png").write_bytes(bytes(1_900_000))
        (folder / "b.png").symlink_to("../../../gradebook.db")
        many = new_markdown_cell(
            "![](a.png) ![](b.png) ![](../../../gradebook.db) ![](%2e%2e/a.png)" * 400, id="text"
        )
        _write(from_dict({**release, "cells": [*release.cells, many]}), folder / NAME)

    yield Attack("files", "picture_many_times", picture, "is a link and was left out")
    yield Attack("files", "name_of_markup", named, "stands in place of")
    yield Attack("files", "keys_doubled", notebook(doubled.encode()))
    yield Attack("files", "numbers_that_are_none", notebook(numbers))
    yield Attack("files", "long_ids", notebook(ids))
    yield Attack("files", "million_cells", notebook(million), "cells", readable=False)
    yield Attack("files", "slow_to_show", notebook(slowly))
    yield Attack("files", "links", beside(links), "is a link and was left out")
    yield Attack("files", "pipe", beside(pipe), "is a pipe and was left out")
    yield Attack("files", "device", beside(device), "is a (device|socket) and was left out")
    yield Attack("files", "odd_names", beside(names))
    yield Attack("files", "archive", beside(archive))
    yield Attack("files", "deep_folders", beside(deep_folders))
    yield Attack("files", "linked_notebook", linked, "it is a link", readable=False)
    yield Attack("files", "endless_notebook", endless, "it is a link", readable=False)
    yield Attack("files", "folder_for_notebook", is_folder, "it is a folder", readable=False)
    yield Attack("files", "pipe_for_notebook", is_pipe, "it is no file", readable=False)
    yield Attack("files", "deep_json", notebook(deep), "not JSON|deep", readable=False)
    yield Attack("files", "deep_metadata", notebook(in_metadata.encode()), "deep|depth", readable=False)
    yield Attack("files", "huge_json", notebook(b" " * (21 << 20)), "MB", readable=False)
    yield Attack("files", "long_number", notebook(number), "not JSON", readable=False)
    yield Attack("files", "many_cells", notebook(wide), "5000 cells", readable=False)
    yield Attack("files", "not_text", notebook(b"\xff\xfe\x00{" * 1000), "not JSON", readable=False)
    yield Attack("files", "half_characters", notebook(halves))
    yield Attack("files", "broken_old_format", notebook(old), None, readable=False)
