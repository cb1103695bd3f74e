"""A notebook written here is, byte for byte, what nbformat writes."""

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat import from_dict

from stagegrade.autograde._written import notebook_text
from tests import notebooks

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def expected(notebook) -> str:
    return f"{nbformat.v4.writes(from_dict(notebook))}\n"


@pytest.mark.parametrize("path", sorted(notebooks.ROOT.glob("source/*/*.ipynb")), ids=lambda path: path.stem)
def test_a_source_notebook_is_written_as_nbformat_writes_it(path):
    """Formgrader's, nbgrader's and a person's diff of a graded notebook show what changed and nothing else."""
    notebook = nbformat.read(path, as_version=4)
    assert expected(notebook) == notebook_text(notebook)


@given(JSON, st.text())
def test_so_is_whatever_a_student_leaves_in_one(value, source):
    cell = {"cell_type": "code", "metadata": {"x": value}, "source": source, "execution_count": None}
    cell["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": source},
        {
            "output_type": "display_data",
            "data": {"text/plain": source, "application/json": value},
            "metadata": {},
        },
    ]
    notebook = from_dict({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    assert expected(notebook) == notebook_text(notebook)
