"""Reading a submission and giving it back its release: whatever was handed in, what comes out is a notebook."""

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from stagegrade.autograde._exporter import _file_of
from stagegrade.autograde._read import UnreadableNotebook, read_notebook
from stagegrade.autograde._restore import blank, restore
from stagegrade.autograde._source import SourceCell, SourceNotebook


def known(name: str, **more: Any) -> SourceCell:
    given: dict[str, Any] = {
        "cell_type": "code", "source": f"# {name}", "checksum": "c" * 32, "grade": False, "solution": False,
        "task": False, "locked": True, "points": None,
    }  # fmt: skip
    return SourceCell(grade_id=name, **(given | more))


SOURCE = SourceNotebook(
    assignment="a",
    name="n",
    kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"},
    cells=(
        known("text", cell_type="markdown"),
        known("solution-1", solution=True, locked=False),
        known("test-1", grade=True, points=2.0),
        known("solution-2", solution=True, locked=False),
        known("test-2", grade=True, points=3.0),
        known("essay", cell_type="markdown", grade=True, solution=True, locked=False, points=1.0),
    ),
)


def read(folder: Path, content: Any) -> NotebookNode:
    path = folder / "n.ipynb"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return read_notebook(path)


def notebook(*cells: Any, **more: Any) -> dict[str, Any]:
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}


UNREADABLE: dict[str, tuple[Any, str]] = {
    "empty": (b"", "empty"),
    "a PDF": (b"%PDF-1.4", r"not JSON, which every notebook is, but a PDF\. Hand in the notebook itself"),
    "a picture": (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", r"not JSON, .* but a picture \(JPEG\)"),
    "an archive": (b"PK\x03\x04\x14\x00", "a ZIP archive"),
    "a web page": (b"\n<!DOCTYPE html><title>Sign in</title>", "but a web page"),
    "a program's text": (b"import torch", r"not JSON, which every notebook is \(Expecting value"),
    "cut short": (b'{"nbformat": 4, "cells": [', "not JSON"),
    "nested deep": (b"[" * 100_000, "not JSON"),
    "bytes of no text": (b"\xff\x00\x9f" * 9, "not JSON, .* bytes that are no text"),
    "a list": ([], "not a notebook"),
    "a number": (4, "not a notebook"),
    "no format": ({"cells": []}, "nbformat"),
    "a newer format": (notebook(nbformat=9), "newer"),
    "a format of no time": (notebook(nbformat=-1), "could not be converted"),
    "format 3, broken": ({"nbformat": 3, "nbformat_minor": 0, "worksheets": 5}, "could not be converted"),
    "no cells": (notebook(cells=None), "no list of cells"),
    "too many cells": (notebook(*[{}] * 2001), "2001 cells"),
}


@pytest.mark.parametrize(("content", "said"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_notebook_is_told_why(content: Any, said: str, tmp_path: Path) -> None:
    """A file that is no notebook would stop the class's run, or its student would not learn what to do."""
    with pytest.raises(UnreadableNotebook, match=said) as told:
        read(tmp_path, content)
    assert 1 == len(re.findall(r"\. (?:Hand|Save|Clear) ", str(told.value))), "one thing to do"


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("qkv.IPYNB", r"no such file, but qkv\.IPYNB\. Rename that to qkv\.ipynb"),
        ("qkv.py", r"but qkv\.py, which is no notebook\. Hand in the notebook itself, qkv\.ipynb"),
        ("qkv.ipynb/", r"it is a folder\. Hand in the notebook itself, which is a file"),
        ("notes.txt", r"no such file\. Was the notebook renamed"),
    ],
)
def test_what_lies_there_in_place_of_a_notebook_is_told(there: str, said: str, tmp_path: Path) -> None:
    """A student who sees a file of that name would be told that there is none."""
    made = tmp_path / there
    if there.endswith("/"):
        made.mkdir()
    else:
        made.write_text("{}")
    with pytest.raises(UnreadableNotebook, match=said):
        read_notebook(tmp_path / "qkv.ipynb")


def test_notebooks_of_other_names_are_told_with_the_name_to_give_them(tmp_path: Path) -> None:
    """A student with two copies would read that neither counts, and not what to do."""
    for name in ("final", "final-2"):
        (tmp_path / f"{name}.ipynb").write_text("{}")
    _, flags = _file_of(tmp_path / "qkv.ipynb", ["qkv"])
    only = "rename it to qkv.ipynb, if it is the one to grade"
    assert [f"{name}.ipynb is not graded: {only}" for name in ("final-2", "final")] == flags
    (tmp_path / "final-2.ipynb").rename(tmp_path / "qkv.ipynb")
    _, flags = _file_of(tmp_path / "qkv.ipynb", ["qkv"])
    assert ["final.ipynb was handed in beside qkv.ipynb, and is not graded"] == flags


def test_a_file_that_is_missing_linked_or_large_is_not_read(tmp_path: Path) -> None:
    """A link would hand in another student's work, and a huge file fill the memory."""
    whole = tmp_path / "whole.ipynb"
    whole.write_text(json.dumps(notebook()))
    link = tmp_path / "link.ipynb"
    link.symlink_to(whole)
    for path, bound in ((tmp_path / "no.ipynb", 100), (link, 10_000), (whole, 10), (tmp_path, 100)):
        with pytest.raises(UnreadableNotebook):
            read_notebook(path, bound)


def test_an_older_notebook_is_converted(tmp_path: Path) -> None:
    """A student with an old Jupyter would be told that the file is broken."""
    code = {
        "cell_type": "code",
        "language": "python",
        "input": ["a = 1\n", "b"],
        "outputs": [],
        "metadata": {},
    }
    three = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [code]}]}
    four = notebook(
        {"cell_type": "code", "source": "a = 1\nb", "metadata": {}, "outputs": []}, nbformat_minor=0
    )
    assert ["a = 1\nb"] == [cell.source for cell in read(tmp_path, three).cells]
    assert read(tmp_path, three) == read(tmp_path, three), "a regrade gives the same ids"
    assert ["a = 1\nb"] == [cell.source for cell in read(tmp_path, four).cells]


def test_source_stays_and_outputs_go(tmp_path: Path) -> None:
    """What a student claims to have seen would be taken for what the code gave."""
    shown = [{"output_type": "stream", "name": "stdout", "text": "12 of 12"}]
    cell = {"cell_type": "code", "id": "one", "source": ["x\n", "y"], "outputs": shown, "execution_count": 7}
    (found,) = read(tmp_path, notebook(cell | {"metadata": {"tags": ["mine"], "own": 1}})).cells
    assert ("x\ny", [], None, "one") == (found.source, found.outputs, found.execution_count, found.id)
    assert {"tags": ["mine"], "own": 1} == found.metadata


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
IDS = st.sampled_from([cell.grade_id for cell in SOURCE.cells] + ["restored-0", "unknown"])
METADATA = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("tags", "name", "collapsed", "scrolled", "format", "jupyter", "execution"), JSON),
        "nbgrader": JSON | st.fixed_dictionaries({"grade_id": IDS | JSON}),
        "stagegrade": JSON,
    },
)
CELLS = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | JSON,
        "source": st.text(max_size=9) | JSON,
        "id": IDS | JSON,
        "metadata": METADATA | JSON,
        "attachments": JSON,
        "outputs": JSON,
    },
)
METADATA_OF_ALL = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("kernelspec", "language_info", "x"), JSON)
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(CELLS | JSON, max_size=7), METADATA_OF_ALL | JSON)
def test_any_cells_at_all_make_a_valid_notebook_with_all_that_is_graded(
    tmp_path: Path, cells: list[Any], metadata: Any
) -> None:
    """Some oddity in one submission would stop the run, or let its student choose what is graded."""
    found = read(tmp_path, notebook(*cells, metadata=metadata))
    restore(found, SOURCE)
    nbformat.validate(found)
    nbformat.writes(found).encode("utf-8")
    assert all(isinstance(tag, str) for cell in found.cells for tag in cell.metadata.get("tags", []))
    held = [cell for cell in found.cells if "nbgrader" in cell.metadata]
    names = [cell.metadata.nbgrader.grade_id for cell in held]
    assert len(set(names)) == len(names)
    assert {"text", "test-1", "test-2", "essay"} <= set(names)
    for cell in held:
        of = SOURCE.cell(cell.metadata.nbgrader.grade_id)
        assert of is not None
        assert (of.cell_type, of.metadata()) == (cell.cell_type, cell.metadata.nbgrader)
        assert not of.locked or of.source == cell.source
        assert not of.locked or "tags" not in cell.metadata


def test_a_duplicated_cell_counts_once_and_the_last_one(tmp_path: Path) -> None:
    """One duplicated cell would stop the whole class's run, as it does in nbgrader."""
    cells = [
        {"cell_type": "code", "source": text, "metadata": {"nbgrader": {"grade_id": "solution-1"}}}
        for text in ("first try", "second try")
    ]
    found = read(tmp_path, notebook(*cells))
    flags = restore(found, SOURCE)
    assert "cell solution-1 appears more than once; the last one counts" in flags
    named = [c.source for c in found.cells if c.metadata.get("nbgrader", {}).get("grade_id") == "solution-1"]
    assert ["second try"] == named
    assert "first try" in [cell.source for cell in found.cells], "and what it defines is there"


def test_missing_tests_are_put_back_where_they_belong() -> None:
    """A deleted test would wait for a person for ever, or be run before what it tests."""
    solution = new_code_cell("mine", metadata={"nbgrader": {"grade_id": "solution-2"}})
    found = new_notebook(cells=[new_code_cell("import torch"), solution, new_code_cell("the end")])
    flags = restore(found, SOURCE)
    order = [cell.metadata.get("nbgrader", {}).get("grade_id", cell.source) for cell in found.cells]
    assert order.index("solution-2") < order.index("test-2") < order.index("the end")
    assert order.index("test-1") < order.index("solution-2")
    assert "cell test-2 was missing and was put back" in flags
    assert "solution cell solution-1 is missing" in flags
    assert "solution-1" not in order, "an empty one would undo code that stands elsewhere"


def test_what_could_not_be_read_has_its_tests_all_the_same() -> None:
    """A student whose file is broken would have no record, and be left out without a word."""
    found = blank(SOURCE)
    nbformat.validate(found)
    names = [cell.metadata.nbgrader.grade_id for cell in found.cells]
    assert {"text", "test-1", "test-2", "essay"} == set(names)
