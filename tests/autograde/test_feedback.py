"""A page for what was graded: what the gradebook says of it, and what of the notebook."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.api import Gradebook, MissingEntry
from traitlets.config import Config

from stagegrade.autograde import FeedbackExporter, GiveGrades, HideTests
from stagegrade.autograde._gradebook import grades_of

HIDDEN = "assert area(3) == 9"
TEST = f"### BEGIN HIDDEN TESTS\n{HIDDEN}\n### END HIDDEN TESTS"


@pytest.fixture(scope="module")
def gradebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One submission, late by two hours after an extension of one, with a test, and an answer that a person graded."""
    path = tmp_path_factory.mktemp("course") / "gradebook.db"
    made: Any
    with Gradebook(f"sqlite:///{path}") as made:
        made.add_assignment("areas", duedate="2030-01-01 10:00:00")
        made.add_notebook("areas", "areas")
        for name, points in (("test-area", 2), ("explain", 3)):
            made.add_grade_cell(name, "areas", "areas", max_score=points, cell_type="code")
        made.add_solution_cell("explain", "areas", "areas")
        made.add_student("late")
        submitted = made.add_submission("areas", "late", timestamp="2030-01-01 13:00:00")
        submitted.extension = timedelta(hours=1)
        (notebook,) = submitted.notebooks
        notebook.late_submission_penalty = 0.5
        by_test = made.find_grade("test-area", "areas", "areas", "late")
        by_test.auto_score, by_test.needs_manual_grade = 1.5, False
        by_hand = made.find_grade("explain", "areas", "areas", "late")
        by_hand.manual_score, by_hand.extra_credit, by_hand.needs_manual_grade = 2, 0.25, True
        comment = made.find_comment("explain", "areas", "areas", "late")
        comment.manual_comment = "Say *why*."
        made.db.commit()
        yield made


@pytest.fixture
def exporter() -> Any:
    made: Any = FeedbackExporter(config=Config(Exporter={"default_preprocessors": []}))
    for one in (GiveGrades, HideTests):
        made.register_preprocessor(one)
    return made


def notebook() -> Any:
    failed = new_output("error", ename="AssertionError", evalue="", traceback=[f"----> 2 {HIDDEN}"])
    known = {
        "schema_version": 3,
        "solution": False,
        "locked": True,
        "task": False,
        "grade": True,
        "points": 2,
    }
    test = new_code_cell(TEST, outputs=[failed], metadata={"nbgrader": {"grade_id": "test-area", **known}})
    return new_notebook(cells=[new_markdown_cell("# Areas"), test])


def names(gradebook: Gradebook) -> dict[str, Any]:
    url = str(gradebook.engine.url)
    return {"nbgrader": {"student": "late", "assignment": "areas", "notebook": "areas", "db_url": url}}


def test_the_grades_are_those_that_nbgrader_itself_reads(gradebook: Gradebook) -> None:
    """A page would show other points, or another lateness, than formgrader does."""
    submitted: Any = gradebook.find_submission_notebook("areas", "areas", "late")
    found = grades_of(gradebook, "areas", "areas", "late")
    assert (submitted.score, submitted.max_score, submitted.late_submission_penalty) == (
        found.score,
        found.max_score,
        found.late_penalty,
    )
    assert (3.75, 5.0, 3.25) == (found.score, found.max_score, found.total)
    assert submitted.assignment.total_seconds_late == found.seconds_late == 7200
    assert datetime(2030, 1, 1, 13, tzinfo=UTC) == found.handed_in
    cells = {
        name: (cell.score, cell.max_score, cell.by_hand, cell.waits) for name, cell in found.cells.items()
    }
    assert {"test-area": (1.5, 2.0, False, False), "explain": (2.25, 3.0, True, True)} == cells
    assert {"explain": "Say *why*."} == found.comments


def test_of_nobodys_notebook_there_are_no_grades(gradebook: Gradebook) -> None:
    """nbgrader tells of it in its own words; a page without points would look like a grade of none."""
    with pytest.raises(MissingEntry, match="areas/areas for nobody"):
        grades_of(gradebook, "areas", "areas", "nobody")


def test_a_page_is_the_same_from_a_file_and_from_a_notebook(
    gradebook: Gradebook, exporter: Any, tmp_path: Path
) -> None:
    """A file is read without nbconvert's copies: what a page shows must not hang on who had the notebook read."""
    path = tmp_path / "areas.ipynb"
    nbformat.write(notebook(), path)
    from_file, _ = exporter.from_filename(str(path), names(gradebook))
    given = nbformat.read(path, as_version=4)
    before = nbformat.writes(given)
    beside = {"metadata": {"name": "areas", "path": str(tmp_path)}}
    from_node, _ = exporter.from_notebook_node(given, {**names(gradebook), **beside})
    assert from_node == from_file
    assert before == nbformat.writes(given), "a notebook that others hold was changed"
    assert "Areas" in from_file
    assert "test-area" in from_file
    assert HIDDEN not in from_file


def test_a_notebook_of_an_older_format_has_a_page(
    gradebook: Gradebook, exporter: Any, tmp_path: Path
) -> None:
    """A course graded years ago would get no feedback any more."""
    path = tmp_path / "areas.ipynb"
    path.write_text(nbformat.writes(notebook(), version=3))
    page, _ = exporter.from_filename(str(path), names(gradebook))
    assert "Areas" in page
