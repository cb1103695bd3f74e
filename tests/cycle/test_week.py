"""nbgrader's own commands, from a fresh course to feedback in the student's folder."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from tests import notebooks
from tests.commands import environment, run
from tests.cycle.week import BY_HAND, STAGED, Week, live_through

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Week:
    return live_through(tmp_path_factory.mktemp("week"))


def grades(course: Path, assignment: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Every grade and comment of the gradebook, by student and cell."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        for submission in gradebook.assignment_submissions(assignment):
            student = submission.student_id
            rows[student, ""] = {
                "score": submission.score,
                "max_score": submission.max_score,
                "needs_manual_grade": submission.needs_manual_grade,
                "late": submission.total_seconds_late,
            }
            for notebook in submission.notebooks:
                rows[student, notebook.name] = {"penalty": notebook.late_submission_penalty}
                for grade in notebook.grades:
                    rows[student, grade.name] = {
                        name: getattr(grade, name)
                        for name in ("auto_score", "manual_score", "score", "max_score", "needs_manual_grade")
                    }
                for comment in notebook.comments:
                    rows[student, f"comment on {comment.name}"] = {
                        "auto": comment.auto_comment,
                        "manual": comment.manual_comment,
                    }
    return rows


def record(course: Path, student: str) -> dict[str, Any]:
    graded = notebooks.read(course / f"autograded/{student}/{STAGED}/{STAGED}.ipynb")
    found: dict[str, Any] = graded["metadata"]["stagegrade"]
    return found


def test_a_source_notebook_passes_nbgraders_own_validation(week: Week) -> None:
    """An instructor could not check a source notebook before releasing it."""
    assert "Success! Your notebook passes all the tests." in week.said["validate source"].stdout


def test_a_student_sees_which_visible_check_fails(week: Week) -> None:
    """A student without stagegrade would learn nothing from a released notebook's own checks."""
    said = week.said["validate keys-two"].stdout
    assert "VALIDATION FAILED ON 1 CELL(S)!" in said
    assert "the score against the second key is 1.8524" in said


def test_a_release_has_nothing_of_the_hidden_tests(week: Week) -> None:
    """A student could read how a stage is asked for, or would need stagegrade to run the notebook."""
    fetched = (week.course / f"release/{STAGED}/{STAGED}.ipynb").read_text()
    assert "stageprobe" not in fetched
    assert "HIDDEN TESTS" not in fetched


def test_everything_handed_in_was_collected(week: Week) -> None:
    """A submission would be lost between the exchange, a download from the LMS, and the course."""
    there = {path.parent.parent.name for path in week.course.glob(f"submitted/*/{STAGED}/{STAGED}.ipynb")}
    assert {"right", "keys-two", "late", "prints", "warns"} == there


@pytest.mark.parametrize(
    ("student", "score", "first"),
    [
        ("right", 12, None),
        ("keys-two", 11, "key_index"),
        ("late", 12, None),
        ("prints", 10, "scaling"),
        ("warns", 12, None),
    ],
)
def test_each_submission_is_graded_by_what_it_computes(
    week: Week, student: str, score: float, first: str | None
) -> None:
    """Printed numbers, shown values, tags or warnings would have a say in the points."""
    found = record(week.copy, student)
    assert ("graded", score, 12, first) == tuple(
        found[key] for key in ("status", "score", "max_score", "first_divergence")
    )
    rows = grades(week.copy, STAGED)
    for row in found["stages"]:
        assert row["points"] == rows[student, f"test-{row['stage']}"]["auto_score"]


def test_nbgrader_and_stagegrade_give_equal_gradebooks(week: Week) -> None:
    """It would depend on the command which grade a student gets."""
    with_nbgrader, with_stagegrade = grades(week.course, STAGED), grades(week.copy, STAGED)
    # Graded by hand in between, in one of the two courses.
    reviewed = {
        ("keys-two", name) for name in ("", STAGED, "test-key_index", "comment on solution-key_index")
    }
    assert set(with_nbgrader) == set(with_stagegrade)
    assert {key: row for key, row in with_nbgrader.items() if key not in reviewed} == {
        key: row for key, row in with_stagegrade.items() if key not in reviewed
    }
    for student in ("right", "late", "prints", "warns", "keys-two"):
        assert record(week.course, student) == record(week.copy, student)


def test_stagegrade_autograde_shows_a_table_and_no_log(week: Week) -> None:
    """An instructor would look for the result among nbgrader's steps, or not find it at all."""
    said = week.said["stagegrade autograde"]
    assert "5 submissions: 3 right throughout, 2 diverge." in said.stdout
    for part in ("Warning", "WARNING", "INFO", "Traceback"):
        assert part not in said.stdout + said.stderr


def test_formgraders_autograde_button_gives_the_same(week: Week) -> None:
    """A regrade in the browser would change a grade."""
    before = grades(week.copy, STAGED)
    pressed = (
        "import json\n"
        "from nbgrader.apps.api import NbGraderAPI\n"
        "from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension\n"
        "extension = FormgradeExtension()\n"
        "extension.initialize([])\n"
        "api = NbGraderAPI(extension.coursedir, extension.authenticator, parent=extension)\n"
        f"print(json.dumps(api.autograde({STAGED!r}, 'prints')))\n"
    )
    done = run("python", "-c", pressed, cwd=week.copy, env=environment(week.home))
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["success"], result
    assert before == grades(week.copy, STAGED)


def test_a_late_submission_has_its_penalty(week: Week) -> None:
    """nbgrader's late penalties would be lost with stagegrade's own saving of scores."""
    rows = grades(week.copy, STAGED)
    assert 3 * 3600 == pytest.approx(rows["late", ""]["late"], abs=2)
    assert (12, None) == (rows["late", STAGED]["penalty"], rows["right", STAGED]["penalty"])


def test_plain_cells_are_graded_as_stock_nbgrader_grades_them(week: Week) -> None:
    """A course could not have plain nbgrader cells beside staged ones, or an old assignment would change grades."""
    ours, stock = grades(week.course, "plain"), grades(week.stock, "plain")
    # The one difference is meant: text on the standard error stream, such as a warning of torch's, costs nothing.
    warns = [
        (rows.pop(("plain-warns", "test-square")), rows.pop(("plain-warns", ""))) for rows in (stock, ours)
    ]
    assert [(0, 4), (2, 6)] == [(cell["score"], whole["score"]) for cell, whole in warns]
    assert stock == ours
    # Held against what is known of nbgrader, lest both be empty.
    assert {"plain-right": 2, "plain-half": 0} == {
        student: ours[student, "test-square"]["auto_score"] for student in ("plain-right", "plain-half")
    }
    assert (3, 1) == tuple(ours[s, "test-three"]["auto_score"] for s in ("plain-right", "plain-half"))
    assert "No response." == ours["plain-half", "comment on essay"]["auto"]
    assert ours["plain-right", "task"]["needs_manual_grade"]


def test_what_was_given_by_hand_survives_a_regrade(week: Week) -> None:
    """An instructor's points and comments would be overwritten by --force."""
    for assignment, cell, student, points in BY_HAND:
        rows = grades(week.course, assignment)
        grade = rows[student, cell]
        assert (points, points, True) == (grade["manual_score"], grade["score"], grade["needs_manual_grade"])
        comment = cell.replace("test-", "solution-")
        assert f"{points} by hand" == rows[student, f"comment on {comment}"]["manual"]


def test_feedback_reaches_the_student_and_names_the_first_divergence(week: Week) -> None:
    """A student would get a grade without learning what to mend."""
    (page,) = (week.root / "student" / STAGED / "feedback").rglob("*.html")
    html = page.read_text()
    for part in ("Look at this first", "key_index", "third-key", "0.5 by hand"):
        assert part in html


def test_the_export_has_everybodys_score(week: Week) -> None:
    """The grades that go to the university would not be those of the gradebook."""
    with (week.course / "grades.csv").open() as lines:
        scores = {
            row["student_id"]: (float(row["score"]), float(row["max_score"]))
            for row in csv.DictReader(lines)
            if row["assignment"] == STAGED and row["student_id"] in {"right", "keys-two", "late", "prints"}
        }
    assert {"right": (12, 12), "keys-two": (11.5, 12), "late": (0, 12), "prints": (10, 12)} == scores


def test_the_students_side_had_nothing_of_stagegrade(week: Week) -> None:
    """What passed above would not show that a released notebook needs torch and nothing of ours."""
    handed = json.dumps(notebooks.read(week.root / "student" / STAGED / f"{STAGED}.ipynb"))
    assert "stagegrade" not in handed
    assert shutil.which("nbgrader") is not None
