"""A cohort's figures."""

import pytest

from stagegrade.report import Cohort
from stagegrade.report._cohort import cause_of
from stagegrade.report._statistics import cause_figures, correlation, point_figures, stage_figures
from tests.report.cohorts import cohort, submission
from tests.report.records import broken, diverging, record, row


def test_getting_past_a_stage_takes_all_before_it() -> None:
    """A stage that only carries would count as passed, and the place where a class is stuck would not show."""
    scaling, softmax = (
        next(f for f in stage_figures(cohort()) if f.stage == s) for s in ("scaling", "softmax")
    )
    # Eleven ran: three divide wrongly, one is either of two; the one with wrong scores has scaling right.
    assert (11, 7, 6, 4) == (scaling.of, scaling.right, scaling.past, scaling.first)
    assert (10, 10, 6, 0) == (softmax.of, softmax.right, softmax.past, softmax.first)
    assert 3 == softmax.kinds["carried"]


def test_what_did_not_run_says_nothing_of_a_stage() -> None:
    """An unreadable file, or the grader's own fault, would make every stage look harder."""
    one = submission(
        "garbled", record(row("scores", "not_reached"), status="unreadable", first_divergence=None)
    )
    (figures,) = stage_figures(Cohort(assignment="a", submissions=(one,)))
    assert 0 == figures.of
    assert figures.difficulty is None


def test_discrimination_is_high_where_the_strong_are_right() -> None:
    """An instructor would keep a stage that tells nothing, or drop one that tells all."""

    def made(student, *right):
        return submission(student, record(*(row(s, "correct" if s in right else "diverges") for s in "abcd")))

    strong = [made(f"s{n}", "a", "b", "d") for n in range(6)]
    weak = [made(f"w{n}", "c") for n in range(6)]
    a, _, c, _ = stage_figures(Cohort(assignment="x", submissions=(*strong, *weak)))
    assert a.discrimination is not None
    assert c.discrimination is not None
    assert a.discrimination == pytest.approx(1)
    assert c.discrimination == pytest.approx(-1)


def test_discrimination_is_not_given_where_it_means_nothing() -> None:
    """A figure from four students, or where all are right, would be taken for one."""
    few = Cohort(assignment="x", submissions=[submission(f"s{n}", broken()) for n in range(4)])
    alike = Cohort(assignment="x", submissions=[submission(f"s{n}", record()) for n in range(20)])
    for some in (few, alike):
        assert {None} == {f.discrimination for f in stage_figures(some)}


def test_correlation_is_pearsons() -> None:
    """Every discrimination rests on it. Expected value worked out by hand."""
    assert correlation([1, 2, 3], [1, 2, 4]) == pytest.approx(3 / (2 * 4.6666666667) ** 0.5)
    assert correlation([1, 1, 1], [1, 2, 4]) is None


def test_causes_are_counted_by_stage_the_most_frequent_first() -> None:
    """What to teach again on Monday would be at the wrong place of the list."""
    figures = cause_figures(cohort())
    assert ("scaling", "divides-by-d_k", 3, 3, True) == (
        figures[0].stage,
        figures[0].cause,
        figures[0].count,
        figures[0].first,
        figures[0].named,
    )
    found = {(f.stage, f.cause): (f.count, f.first) for f in figures}
    assert (3, 0) == found["context", "raised an error"]
    assert (1, 1) == found["scores", "no known mistake"]
    assert (1, 1) == found["scaling", "a or b"]
    assert (1, 1) == found["context", "its process ended"]


def test_an_example_with_a_smallest_case_goes_before_others() -> None:
    """The example for the class would be fifty random numbers where a small one is at hand."""
    plain, small = broken(), broken(smallest={"inputs": {}, "expected": 1, "got": 2})
    some = Cohort(assignment="x", submissions=[submission("a", plain), submission("b", small)])
    assert "smallest" in cause_figures(some)[0].example["evidence"]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (row(), ""),
        (row(carried=True), ""),
        (diverging(), "divides-by-d_k"),
        (row(verdict="raised", evidence={"error": "ValueError"}), "raised an error: ValueError"),
        (row(verdict="missing"), "not written"),
        (row(verdict="diverges", evidence={"described": "The output holds NaN."}), "The output holds NaN"),
        (row(verdict="diverges", evidence={"confidence": "unlocated"}), "not shown by anything"),
    ],
    ids=["right", "carried", "mistake", "raised", "missing", "described", "unlocated"],
)
def test_a_cause_is_what_many_may_share(found: dict, expected: str) -> None:
    """A class's errors would fall into as many groups as there are students."""
    assert expected == cause_of(found)


def test_concerns_are_what_a_person_should_see() -> None:
    """A timeout, a fault or a tampered cell would end as a low grade that nobody looks at."""
    found = {one.student: one.concerns for one in cohort().submissions if one.concerns}
    assert {
        "ends-early": ("context: its process ended",),
        "garbled": ("query_key_value.ipynb could not be read", "no JSON"),
        "by-hand": ("a part waits to be graded by hand",),
    } == found


def test_points_are_what_counts() -> None:
    """The distribution would show points that no student got."""
    figures = point_figures(cohort())
    assert figures is not None
    assert 12 == sum(count for _, _, count in figures.bins)
    assert (8.0, 9.0, 2) in figures.bins
    assert 10 == figures.most
    # Extra credit may take a score past the maximum, and a penalty below zero.
    odd = Cohort(
        assignment="x",
        submissions=[submission("a", record(), score=11.5), submission("b", record(), score=-1.0)],
    )
    figures = point_figures(odd)
    assert figures is not None
    assert 2 == sum(count for _, _, count in figures.bins)


def test_nobody_has_no_points() -> None:
    """A report before the first submission would fail."""
    assert point_figures(Cohort(assignment="x", submissions=())) is None
