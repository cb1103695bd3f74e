"""Notebooks and their metadata, made by hypothesis: whatever is handed in is a notebook or ``UnreadableNotebook``."""

import json
from pathlib import Path
from typing import Any

import nbformat
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode

from stagegrade.autograde._controls import plain_text, shown_text
from stagegrade.autograde._read import UnreadableNotebook, read_notebook
from stagegrade.autograde._restore import restore
from stagegrade.autograde._source import SourceCell, SourceNotebook

# A folder per test function is enough: each example is written over the one before.
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
VALUES = st.recursive(
    PLAIN, lambda v: st.lists(v, max_size=4) | st.dictionaries(TEXT, v, max_size=4), max_leaves=12
)
KEYS = st.sampled_from(
    ["cell_type", "source", "metadata", "outputs", "id", "attachments", "execution_count", "level", "input"]
)
NBGRADER = st.fixed_dictionaries(
    {},
    optional={
        "grade_id": st.sampled_from(["solution", "test", "text"]) | VALUES,
        "grade": VALUES,
        "points": VALUES,
    },
)
CELLS = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | VALUES,
        "source": TEXT | st.lists(TEXT, max_size=3) | VALUES,
        "metadata": st.fixed_dictionaries({}, optional={"nbgrader": NBGRADER | VALUES, "tags": VALUES})
        | VALUES,
        "outputs": VALUES,
        "id": TEXT | VALUES,
        "attachments": VALUES,
    },
) | st.dictionaries(KEYS, VALUES, max_size=4)
NOTEBOOKS = st.fixed_dictionaries(
    {"nbformat": st.sampled_from([1, 2, 3, 4, 4, 4, 5]) | VALUES},
    optional={
        "nbformat_minor": st.integers(0, 9) | VALUES,
        "metadata": VALUES
        | st.dictionaries(st.sampled_from(["kernelspec", "language_info", "name"]), VALUES),
        "cells": st.lists(CELLS | VALUES, max_size=5) | VALUES,
        "worksheets": st.lists(st.fixed_dictionaries({"cells": st.lists(CELLS, max_size=3)}), max_size=2)
        | VALUES,
    },
)


def cell(name: str, **more: Any) -> SourceCell:
    kinds = {
        "cell_type": "code",
        "checksum": None,
        "grade": False,
        "solution": False,
        "task": False,
        "locked": True,
    }
    return SourceCell(grade_id=name, source=f"# {name}", points=None, **{**kinds, **more})


SOURCE = SourceNotebook(
    assignment="a",
    name="a",
    cells=(
        cell("text", cell_type="markdown"),
        cell("solution", solution=True, locked=False),
        cell("test", grade=True),
    ),
)


def read(path: Path) -> NotebookNode | None:
    try:
        return read_notebook(path)
    except UnreadableNotebook:
        return None


def write(path: Path, found: Any) -> None:
    # With half surrogate pairs, NaN and all that a careless program writes.
    path.write_text(json.dumps(found), encoding="utf-8")


@RELAXED
@given(NOTEBOOKS | VALUES)
@example(
    {"nbformat": 4, "cells": [{"cell_type": "code", "source": "\ud800", "metadata": {"\udfff": "\ud800"}}]}
)
@example({"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": 5}]}]})
def test_whatever_json_is_handed_in_it_is_a_notebook_or_said_to_be_none(tmp_path: Path, found: Any) -> None:
    """One file would stop the class, or make an autograded notebook that no program opens."""
    path = tmp_path / "a.ipynb"
    write(path, found)
    notebook = read(path)
    if notebook is None:
        return
    restore(notebook, SOURCE)
    graded = {c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata}
    assert {"text", "test"} <= graded <= {"text", "test", "solution"}
    assert ["# test"] == [
        c.source for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == "test"
    ]
    written = nbformat.writes(notebook, version=4)
    nbformat.validate(nbformat.reads(written.encode().decode(), as_version=4))


@RELAXED
@given(st.binary(max_size=300))
def test_whatever_bytes_are_handed_in_they_are_said_to_be_none(tmp_path: Path, data: bytes) -> None:
    """A picture or an archive under a notebook's name would stop the class."""
    path = tmp_path / "a.ipynb"
    path.write_bytes(data)
    assert read(path) is None


@given(st.text(st.sampled_from("\x1b[]0;31mJH\x07\x9b\\ab\n\t\r\u202e") | st.characters(), max_size=60))
def test_no_text_acts_on_a_terminal_when_it_is_made_plain(text: str) -> None:
    """A record printed by ``stagegrade explain`` would set a title, clear the screen or hide what follows."""
    plain = plain_text(text)
    assert not set("\x1b\x07\x9b\u202e\r\b") & set(plain)
    assert plain == plain_text(plain)
    assert "\x1b]" not in shown_text(text)


@given(
    st.text(
        st.characters(
            exclude_categories=["Cc", "Cs"],
            exclude_characters="\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
        )
    )
)
def test_text_that_does_not_act_stays_as_it_is(text: str) -> None:
    """Names and formulas in other scripts would come out mangled."""
    assert text == plain_text(text)
    assert text == shown_text(text)
