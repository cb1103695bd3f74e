"""Values laid out for comparison."""

import math

import pytest

from stagegrade.report._values import Grid, differs, entry, grid_of, side_by_side, tables, text_of


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, Grid(((3,),), 0)),
        ([1.5, 2.5], Grid(((1.5, 2.5),), 1)),
        ([[1, 2], [3, 4]], Grid(((1, 2), (3, 4)), 2)),
        ("[0.5, 1.5]", Grid(((0.5, 1.5),), 1)),
        ("[[1, 2], [3, 4]]", Grid(((1, 2), (3, 4)), 2)),
        ("[-inf, 2]", Grid(((-math.inf, 2),), 1)),
        ("[1, 2, 3, 4, 5, …] of shape (4, 3)", Grid(((1, 2, 3), (4, 5, None)), 2, cut=True)),
        ("shape (6,)", None),
        ("None (is a `return` missing?)", None),
        ('"query source"', None),
        ("False", None),
        (True, None),
        ([], None),
        ([[1], [2, 3]], None),
        ([[[1.0]]], None),
        ("[1, 2", None),
    ],
)
def test_numbers_are_found_in_lists_and_in_text(value: object, expected: Grid | None) -> None:
    """A student's numbers would not line up with the expected ones, or words would be taken for numbers."""
    assert expected == grid_of(value)


def test_a_long_tensor_is_cut_and_says_so() -> None:
    """A panel would be wider and longer than a page."""
    grid = grid_of([[0.25] * 50] * 40)
    assert grid is not None
    assert (12,) * 8 == grid.shape
    assert grid.cut
    assert "only the beginning" in side_by_side([0.25] * 50, [0.5] * 50)[-1]


def test_nan_is_marked_where_a_number_is_expected() -> None:
    """NaN compares unequal to everything, and the overflow that made it would go unmarked or NaN itself be marked."""
    assert differs(1.0, math.nan)
    assert not differs(math.nan, math.nan)
    assert not differs(math.inf, math.inf)
    assert differs(math.inf, -math.inf)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0"),
        (2.0, "2"),
        (1 / 3, "0.3333"),
        (1e-7, "1.000e-07"),
        (123456.7, "1.235e+05"),
        (math.nan, "nan"),
    ],
)
def test_entries_are_short(value: float, expected: str) -> None:
    """Columns would not fit beside one another, or small numbers would be shown as zero."""
    assert expected == entry(value)


def test_shapes_that_differ_are_not_paired() -> None:
    """Entries would be marked that have nothing to do with each other."""
    assert ["expected  [1, 2]", "yours     [1, 2, 3]"] == side_by_side([1, 2], [1, 2, 3])
    assert "≠" not in tables([1, 2], [1, 2, 3])


def test_matrices_stand_beside_each_other() -> None:
    """Below each other, their rows could not be compared at a glance."""
    assert [
        "expected           yours",
        "1.2500  4.5000     1.2500  0.5000*",
        "0.5000  1.5000     4.5000* 1.5000",
        "(* differs)",
    ] == side_by_side([[1.25, 4.5], [0.5, 1.5]], [[1.25, 0.5], [4.5, 1.5]])


def test_several_values_are_compared_one_by_one() -> None:
    """Query, keys and values would be one line of brackets, in which nobody finds the entry that differs."""
    expected = [[1.5, 2.5], [[1, 2], [3, 4], [5, 6]]]
    got = [[1.5, 0.5], [[1, 2], [3, 4], [5, 6]]]
    assert [
        "value 1:",
        "expected  1.5000  2.5000",
        "yours     1.5000  0.5000*",
        "(* differs)",
        "value 2:",
    ] == side_by_side(expected, got)[:5]
    assert 1 == tables(expected, got).count("≠")
    assert "[[1.5000, 2.5000], [[1, 2], [3, 4], [5, 6]]]" == text_of(expected)


def test_a_number_is_told_from_a_list_of_one() -> None:
    """A student whose products were not summed would read that 0 was expected, and that theirs is 0."""
    assert ["expected  0", "yours     [0]"] == side_by_side(0, [0])
    assert "[0]" in tables(0, [0])
