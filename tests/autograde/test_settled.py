"""Who settles a notebook that could not be read, where the gradebook, the report and the exports look for it."""

import json
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook
from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory

from stagegrade.autograde import StageExport, cohort
from stagegrade.autograde._settled import settled_by_hand
from tests.report.records import record, row

ASSIGNMENT = "week"
CELLS = ("scores", "softmax")
# Of the second notebook's two cells: points by hand, and whether they wait for another look.
BY_HAND: dict[str, tuple[tuple[float | None, bool], ...]] = {
    "nobody-looked": ((None, False), (None, False)),
    "points-for-the-file-before": ((1.0, True), (None, False)),
    "half-looked-at-again": ((1.0, False), (1.0, True)),
    "settled-with-0": ((0.0, False), (None, False)),
}
OPEN = tuple(student for student in BY_HAND if student != "settled-with-0")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> CourseDirectory:
    """Everybody's first notebook is right, with points by hand; the second is damaged."""
    root = tmp_path_factory.mktemp("course")
    made: Any
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as made:
        made.add_assignment(ASSIGNMENT)
        for notebook in ("first", "second"):
            made.add_notebook(notebook, ASSIGNMENT)
            for cell in CELLS:
                made.add_grade_cell(cell, notebook, ASSIGNMENT, max_score=2, cell_type="code")
        for student, given in BY_HAND.items():
            made.add_student(student)
            made.add_submission(ASSIGNMENT, student)
            for notebook in ("first", "second"):
                first = notebook == "first"
                for cell, (points, waits) in zip(CELLS, given, strict=True):
                    grade = made.find_grade(cell, notebook, ASSIGNMENT, student)
                    grade.auto_score = 2.0 if first else 0.0
                    grade.manual_score = 2.0 if first else points
                    grade.needs_manual_grade = False if first else waits
                found = record(notebook=f"{notebook}.ipynb") if first else damaged()
                folder = root / "autograded" / student / ASSIGNMENT
                folder.mkdir(parents=True, exist_ok=True)
                text = json.dumps(new_notebook(metadata={"stagegrade": found}))
                (folder / f"{notebook}.ipynb").write_text(text)
        made.db.commit()
    return CourseDirectory(root=str(root))


def damaged() -> dict[str, Any]:
    return record(
        row("scores", "not_reached"), notebook="second.ipynb", status="unreadable", first_divergence=None
    )


def test_points_for_an_earlier_file_or_another_notebook_settle_nothing(course: CourseDirectory) -> None:
    """A damaged file would be passed over, because its author once had a point by hand for something else."""
    known: Any
    with Gradebook(course.db_url) as known:
        found = settled_by_hand(known.db.connection(), str(known.find_assignment(ASSIGNMENT).id))
    first = {(student, "first") for student in BY_HAND}
    assert first | {("settled-with-0", "second")} == found


def test_the_report_names_a_second_notebook_that_could_not_be_read(course: CourseDirectory) -> None:
    """The run would count a submission that its report does not know, or the report name it for good."""
    shown = cohort(course, ASSIGNMENT, Path(course.root) / "reports/week.html").submissions
    named = {one.student for one in shown if "second.ipynb could not be read" in one.concerns}
    assert set(OPEN) == named
    assert () == next(one.concerns for one in shown if one.student == "settled-with-0")


def test_exports_name_the_same_notebooks(course: CourseDirectory) -> None:
    """What the report calls settled would keep an export from ever being whole, or the other way round."""
    app = NbGrader()
    app.coursedir = course
    with Gradebook(course.db_url) as known:
        grades = StageExport(parent=app).grades(known, [ASSIGNMENT])
    assert dict.fromkeys(OPEN, ("second.ipynb",)) == {
        grade.student.id: grade.unreadable for grade in grades if grade.unreadable
    }
