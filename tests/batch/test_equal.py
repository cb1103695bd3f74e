"""``stagegrade autograde`` and ``nbgrader autograde`` leave the same gradebook and the same files behind."""

import json
import shutil

import pytest

from tests.batch import gradebooks
from tests.batch.conftest import ASSIGNMENT
from tests.commands import run


@pytest.fixture(scope="module")
def by_nbgrader(ungraded, tmp_path_factory, env):
    copy = tmp_path_factory.mktemp("by-nbgrader") / "course"
    shutil.copytree(ungraded, copy)
    run("nbgrader", "autograde", ASSIGNMENT, cwd=copy, env=env)
    return copy


@pytest.mark.timeout(600)
@pytest.mark.parametrize("table", ["students", "submissions", "notebooks", "grades", "comments"])
def test_the_gradebooks_have_the_same_rows(by_nbgrader, undisturbed, table):
    """An instructor may grade one way today and another tomorrow without a grade changing."""
    expected = gradebooks.rows(gradebooks.url(by_nbgrader))[table]
    assert expected == gradebooks.rows(gradebooks.url(undisturbed))[table]
    assert expected


@pytest.mark.timeout(600)
def test_the_graded_folders_have_the_same_files(by_nbgrader, undisturbed):
    """Formgrader and feedback read these files: bytes and permissions are those that nbgrader writes."""
    expected = gradebooks.files(by_nbgrader / "autograded")
    assert expected == gradebooks.files(undisturbed / "autograded")
    assert b"handed out beside the notebook" in [content for content, _ in expected.values()]


@pytest.mark.timeout(600)
def test_what_nbgrader_graded_is_not_graded_again(by_nbgrader, env):
    """Both leave word of what a grade came from, so that either goes on where the other stopped."""
    again = run("stagegrade", "autograde", ASSIGNMENT, cwd=by_nbgrader, env=env, status=None)
    assert "0 graded" in again.stderr
    # A file that is no notebook, and a folder without one.
    assert "; 2 could not be graded whole" in again.stderr


@pytest.mark.timeout(600)
def test_how_long_each_took_is_kept_apart_from_what_is_compared(by_nbgrader, undisturbed, env):
    """The report could not say which submissions take long; or, within a record, two gradings would never agree."""
    for course in (by_nbgrader, undisturbed):
        found = json.loads(run("stagegrade", "report", ASSIGNMENT, "--json", cwd=course, env=env).stdout)
        taken = [one["seconds"] for one in found["students"]]
        assert taken
        assert all(isinstance(seconds, float) and 0 <= seconds < 60 for seconds in taken)
        assert max(taken) > 0


@pytest.mark.timeout(600)
def test_no_execute_is_refused_before_anything_is_touched(by_nbgrader, env):
    """nbgrader takes away what was graded before it grades anew: the class's grades would be gone."""
    before = gradebooks.files(by_nbgrader / "autograded"), gradebooks.rows(gradebooks.url(by_nbgrader))
    said = run(
        "nbgrader", "autograde", ASSIGNMENT, "--no-execute", "--force", cwd=by_nbgrader, env=env, status=None
    )
    assert said.returncode
    assert "cannot be graded with --no-execute. Nothing was changed" in said.stderr
    assert before == (
        gradebooks.files(by_nbgrader / "autograded"),
        gradebooks.rows(gradebooks.url(by_nbgrader)),
    )
