"""CSV that can be opened in a spreadsheet by somebody who trusts it."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stagegrade.report import csv_text, is_formula, neutral


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1+1", "--", "+"],
)
def test_a_formula_is_shown_and_not_run(text):
    """A student's name would run as a formula on the machine of whoever opens the file."""
    assert is_formula(text)
    assert f"'{text}" == neutral(text)
    assert [[f"'{text}"]] == list(csv.reader(io.StringIO(csv_text([[text]]), newline="")))


@pytest.mark.parametrize("text", ["", "a=b", "O'Neill", "-1.5", "+49123", "-0", "-", "1-1", "stage@place"])
def test_what_is_no_formula_stays_as_it_is(text):
    """A number or a name would be changed, and an import would no longer find whose it is."""
    assert text == neutral(text)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (2.0, "2"),
        (2 / 3, "0.666667"),
        (-1.5, "-1.5"),
        (1e-9, "0"),
        (10.0, "10"),
        (None, ""),
        (float("nan"), ""),
    ],
)
def test_numbers_are_written_plainly(value, written):
    """An import form would refuse `1e-09` or show sixteen places of a third."""
    assert f"x,{written}\r\n" == csv_text([["x", value]])


@given(st.lists(st.lists(st.text(), min_size=2, max_size=4), min_size=1))
def test_text_comes_back_as_it_went_in(rows):
    """A comma, quote or line break in a name would push a grade into another column."""
    read = list(csv.reader(io.StringIO(csv_text(rows), newline="")))
    assert [[neutral(cell) for cell in row] for row in rows] == read


@given(st.text())
def test_nothing_written_is_a_formula(text):
    """One way of beginning a formula would have been forgotten."""
    ((read,),) = list(csv.reader(io.StringIO(csv_text([[text]], quote_all=True), newline="")))
    assert not is_formula(read)
    assert read == text or read == f"'{text}"
