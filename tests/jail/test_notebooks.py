"""What our run of a notebook leaves in it, held against stock nbgrader's own ``Execute`` and a real ipykernel."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from stagegrade.autograde import StageExecute
from tests.jail.notebooks import Example
from tests.jail.notebooks.examples import EXAMPLES


@pytest.fixture(scope="module")
def gradebook(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A gradebook with one assignment of one notebook that has no graded cells."""
    url = f"sqlite:///{tmp_path_factory.mktemp('course') / 'gradebook.db'}"
    with Gradebook(url) as found:
        found.add_assignment("notebooks")
        found.add_notebook("notebook", "notebooks")
    return url


def run(example: Example, folder: Path, gradebook: str) -> NotebookNode:
    example.lay_out(folder)
    names = {"db_url": gradebook, "assignment": "notebooks", "notebook": "notebook", "student": "somebody"}
    resources = {"nbgrader": names, "metadata": {"path": str(folder)}}
    notebook, _ = StageExecute(timeout=example.timeout).preprocess(example.notebook(), resources)
    return notebook


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_notebook_comes_out_as_from_nbgrader(
    name: str, stock: Callable[[str], NotebookNode], gradebook: str, tmp_path: Path
) -> None:
    """An instructor would find other outputs, counts or errors than nbgrader has always given."""
    expected, got = stock(name), run(EXAMPLES[name], tmp_path, gradebook)
    for cell, ours in zip(expected.cells, got.cells, strict=True):
        assert _plain(cell) == _plain(ours), cell.source


_SAME = [
    # Where the kernel puts a cell's source: a folder named after its process, a file named after the source.
    (re.compile(r"/[^\s'\"]*/ipykernel_\d+/"), "CELLS/"),
    # Ours has a home of its own, so that the person's who grades is not there to be read.
    (re.compile(re.escape(str(Path.home())) + "(?=/)"), "~"),
    # And a working folder of its own, for the same reason.
    (re.compile(r"(?:/[^\s'\"]*|~)/(helper|broken)\.py"), r"BESIDE/\1.py"),
    (re.compile(r"0x[0-9a-f]{6,}"), "0xADDRESS"),
]


def _plain(cell: NotebookNode) -> dict[str, Any]:
    found: dict[str, Any] = {"type": cell.cell_type, "source": cell.source}
    if cell.cell_type == "code":
        found["count"] = cell.execution_count
        found["outputs"] = [_plain_value(dict(output)) for output in _joined(cell.outputs)]
    return found


def _joined(outputs: list[NotebookNode]) -> list[dict[str, Any]]:
    """Pieces of one stream that follow one another, as one: where a kernel cuts it is a matter of time."""
    joined: list[dict[str, Any]] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last["text"] += output.text
        else:
            joined.append(dict(output))
    return joined


def _plain_value(value: Any) -> Any:
    if isinstance(value, str):
        for pattern, plain in _SAME:
            value = pattern.sub(plain, value)
        return value
    if isinstance(value, dict):
        return {key: _plain_value(item) for key, item in value.items()}
    if isinstance(value, list):
        items = [_plain_value(item) for item in value]
        # An endless recursion fills the stack, of which a kernel's own frames take another part.
        return [item for item, before in zip(items, [None, *items], strict=False) if item != before]
    return value
