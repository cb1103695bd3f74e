"""A course that knows nothing of stages keeps its grades when two lines of its configuration turn to the warm jail."""

import shutil
from pathlib import Path

import nbgrader.tests.apps.files
import pytest

from tests.batch import gradebooks
from tests.commands import run

# Notebooks of nbgrader's own test suite, which its wheel carries.
THEIRS = Path(nbgrader.tests.apps.files.__file__).parent
SOURCES = {"cells": "submitted-unchanged", "autotest": "autotest-hidden"}
STUDENTS = {
    "unchanged": {"cells": "submitted-unchanged", "autotest": "autotest-hidden-unchanged"},
    "changed": {"cells": "submitted-changed", "autotest": "autotest-hidden-changed-right"},
    "grade-cell-changed": {
        "cells": "submitted-grade-cell-changed",
        "autotest": "autotest-hidden-changed-wrong",
    },
    "locked-cell-changed": {
        "cells": "submitted-locked-cell-changed",
        "autotest": "autotest-hidden-unchanged",
    },
}
CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "theirs"\n'
TWO_LINES = "from stagegrade.autograde import configure\nconfigure(c)\n"


@pytest.fixture(scope="module")
def graded(tmp_path_factory, env) -> tuple[Path, Path]:
    """The course as nbgrader alone grades it, and a copy that this kit grades."""
    stock: Path = tmp_path_factory.mktemp("theirs") / "stock"
    (stock / "source/ps").mkdir(parents=True)
    shutil.copy(THEIRS / "autotests.yml", stock)
    for name, source in SOURCES.items():
        shutil.copy(THEIRS / f"{source}.ipynb", stock / f"source/ps/{name}.ipynb")
    for student, notebooks in STUDENTS.items():
        folder = stock / f"submitted/{student}/ps"
        folder.mkdir(parents=True)
        for name, made in notebooks.items():
            shutil.copy(THEIRS / f"{made}.ipynb", folder / f"{name}.ipynb")
    (stock / "nbgrader_config.py").write_text(CONFIG)
    run("nbgrader", "generate_assignment", "ps", cwd=stock, env=env)
    ours = stock.with_name("ours")
    shutil.copytree(stock, ours)
    (ours / "nbgrader_config.py").write_text(CONFIG + TWO_LINES)
    run("nbgrader", "autograde", "ps", cwd=stock, env=env)
    run("stagegrade", "autograde", "ps", cwd=ours, env=env)
    return stock, ours


@pytest.mark.timeout(600)
@pytest.mark.parametrize("table", ["students", "submissions", "notebooks", "grades", "comments"])
def test_the_gradebook_says_what_nbgrader_alone_says(graded, table):
    """A course could not change over in the middle of a term: its students' points would change with it."""
    stock, ours = (gradebooks.rows(gradebooks.url(course))[table] for course in graded)
    assert stock == ours
    assert stock


def test_some_points_were_given_and_some_were_not(graded):
    """The courses would agree on nothing at all as well."""
    stock, _ = graded
    scores = {row[3] for row in gradebooks.rows(gradebooks.url(stock))["grades"]}
    assert {0.0, 1.0} <= scores
