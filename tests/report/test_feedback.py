"""The page a student gets back."""

from datetime import UTC, datetime
from typing import Any

import pytest

from stagegrade.report import CellGrade, Grades, feedback_page
from tests.report.page import Page
from tests.report.records import STAGES, broken, record, row


def cell(source: str, kind: str = "code", **changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "source": source, "metadata": {}}
    if kind == "code":
        made["outputs"] = []
    return made | changes


def graded(grade_id: str, **flags: Any) -> dict[str, Any]:
    return {"nbgrader": {"grade_id": grade_id, "grade": True, "locked": True, "solution": False} | flags}


def notebook(*cells: dict[str, Any]) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {}}


def staged() -> dict[str, Any]:
    """A notebook with a solution and a test cell for each stage of the records."""
    cells = [cell("# Query, key, value\n\n$\\sqrt{d_k}$", "markdown")]
    for stage in STAGES:
        answer = graded(f"solution-{stage}", grade=False, solution=True, locked=False)
        cells.append(cell(f"def {stage}(): ...", metadata=answer))
        old = {
            "output_type": "display_data",
            "data": {"text/plain": "an old panel"},
            "metadata": {"stagegrade": {}},
        }
        said = {"output_type": "stream", "name": "stdout", "text": f"printed by {stage}"}
        metadata = graded(f"test-{stage}") | {"stagegrade": {"stages": [stage]}}
        cells.append(cell("assert True", metadata=metadata, outputs=[old, said]))
    return notebook(*cells)


def grades(**changes: Any) -> Grades:
    made: dict[str, Any] = {"score": 6.0, "max_score": 10.0}
    return Grades(**(made | changes))


def page(book: dict[str, Any], judged: dict[str, Any] | None = None, **changes: Any) -> Page:
    return Page(
        feedback_page(book, title="qkv", student="ends-early", grades=grades(**changes), record=judged)
    )


def test_the_summary_comes_before_the_notebook() -> None:
    """A student would have to scroll through the whole notebook to learn what to do."""
    words = page(staged(), broken()).words
    begin = words[: words.index("Your notebook")]
    for said in (
        "6 of 10 points",
        "Look at this first: scaling",
        "Its checkpoint: scaling step.",
        "Check next: Evaluate the divisor for d_k of nine.",
        "✓ projection → ✓ scores → ✗ scaling → ↓ softmax → ! context",
        "scaling ✗ diverges The scores shrink too much. divides-by-d_k 0 of 2",
        "softmax ↓ right, carries an earlier error 2 of 2",
    ):
        assert said in begin


def test_every_stage_leads_to_its_cell() -> None:
    """A link into nothing is worse than none."""
    found = page(staged(), broken())
    targets = {link.removeprefix("#") for link in found.links if link.startswith("#")}
    assert set() == targets - set(found.ids)
    assert len(found.ids) == len(set(found.ids))
    assert len(STAGES) <= len([t for t in targets if t.startswith("cell-")])


def test_panels_are_drawn_anew_in_their_cells() -> None:
    """A panel that a student's code displayed, or one of an earlier run, would stand beside the judge's."""
    words = page(staged(), broken()).words
    assert "an old panel" not in words
    assert 1 == words.count("This is the first stage to diverge: start here.")
    assert words.index("Check: test-scaling") < words.index("Known mistake: divides-by-d_k")
    assert words.index("Known mistake: divides-by-d_k") < words.index("printed by scaling")


def test_comments_manual_grades_and_penalties_appear() -> None:
    """What a person wrote is what a student looks for first."""
    book = notebook(
        cell("my essay", "markdown", metadata=graded("essay", solution=True, locked=False)),
        cell("do it", "markdown", metadata=graded("chores", grade=False, task=True)),
        cell("x = 1", metadata=graded("drawing", solution=True, locked=False)),
    )
    words = page(
        book,
        score=5.5,
        max_score=8.0,
        late_penalty=1.5,
        cells={
            "essay": CellGrade(score=3.5, max_score=4, by_hand=True),
            "chores": CellGrade(score=2, max_score=2, by_hand=True),
            "drawing": CellGrade(score=0, max_score=2, waits=True),
        },
        comments={"essay": "Good, but see **Vaswani**.", "chores": "Done."},
        handed_in=datetime(2026, 3, 1, 12, tzinfo=UTC),
        seconds_late=5400.0,
    ).words
    for said in (
        "4 of 8 points",
        "handed in 2026-03-01 12:00 UTC (late by 1.5 hours)",
        "late penalty: −1.5",
        "3.5 of 4 points, given by hand",
        "0 of 2 points so far; not graded yet",
        "Comment: Good, but see Vaswani.",
        "Comment: Done.",
    ):
        assert said in words


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": "unreadable", "first_divergence": None}, "Your notebook could not be read"),
        ({"status": "grader_fault"}, "This is not your doing, and it costs you nothing."),
    ],
)
def test_what_could_not_be_graded_is_said_first(changes: dict[str, Any], said: str) -> None:
    """A student would take the grader's fault for their own, or not know why there are no points."""
    reason = "qkv.ipynb: it is not JSON, which every notebook is"
    judged = record(*(row(stage, "not_reached") for stage in STAGES), flags=[reason], **changes)
    words = page(staged(), judged).words
    assert words.count(reason) == (judged["status"] == "unreadable")
    unreadable = judged["status"] == "unreadable"
    notebook_title = "The notebook as it was handed out" if unreadable else "Your notebook "
    assert said in words[: words.index(notebook_title, words.index("Verdicts by stage"))]
    # Of what nobody could read it would not be theirs.
    assert unreadable == ("as it was handed out" in words)
    assert "Look at this first" not in words


def test_a_notebook_that_tests_no_stage_has_feedback_too() -> None:
    """A course's other assignments would have none."""
    book = notebook(cell("assert square(2) == 4", metadata=graded("test-square")))
    words = page(book, cells={"test-square": CellGrade(score=2, max_score=2)}).words
    assert "Check: test-square 2 of 2 points" in words
    assert "Verdicts by stage" not in words


def test_the_page_stands_alone_and_has_its_landmarks() -> None:
    """Offline it would lack parts, and by ear nobody would find the way to the notebook."""
    found = page(staged(), broken())
    assert not {"script", "link", "iframe"} & set(found.elements)
    assert (1, 1) == (found.elements.count("main"), found.elements.count("footer"))
    assert 1 == found.headings.count(1)
    steps = [b - a for a, b in zip(found.headings, found.headings[1:], strict=False)]
    assert max(steps) <= 1


def test_names_and_titles_are_text() -> None:
    """A student's chosen name would be markup on the page."""
    html = feedback_page(
        staged(), title="<b>t</b>", student="<i>s</i>", grades=grades(), record=broken(), ours="stagegrade"
    )
    assert "<b>t" not in html
    assert "<i>s" not in html


def test_pictures_beside_the_notebook_are_held_by_the_page() -> None:
    """A page that is sent by mail, or released through the exchange, goes without the files beside it."""
    book = notebook(
        cell(
            "![scores](pictures/my%20scores.png) ![gone](gone.png) ![far](https://example.org/x.png)",
            "markdown",
        ),
        cell('<img src="drawn.png" alt="drawn">', "markdown"),
    )
    there = {
        "pictures/my scores.png": "data:image/png;base64,AAAA",
        "drawn.png": "data:image/png;base64,BBBB",
    }
    html = feedback_page(book, title="x", student="s", grades=grades(), record=None, picture=there.get)
    for source in (*there.values(), "gone.png", "https://example.org/x.png"):
        assert f'src="{source}"' in html


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("# Query, *key*, `value`\n\nText.", "Query, key, value"),
        ("Text.\n\n# Later", "qkv"),
        ("#hash", "qkv"),
    ],
)
def test_the_page_is_called_what_the_notebook_calls_itself(first: str, expected: str) -> None:
    """A file's name is no title."""
    html = feedback_page(
        notebook(cell(first, "markdown")), title="qkv", student="s", grades=grades(), record=None
    )
    assert f"<h1>{expected}</h1>" in html
