"""A course with a small class, ungraded; each test grades a copy of its own."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import notebooks
from tests.commands import environment, run

ASSIGNMENT = "query_key_value"
SOURCE = notebooks.ROOT / f"source/{ASSIGNMENT}/{ASSIGNMENT}.ipynb"
# As many as need grading while something happens to the grader.
COPIES = 4


@pytest.fixture(scope="session")
def env(tmp_path_factory):
    return environment(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def ungraded(tmp_path_factory, env) -> Path:
    course: Path = tmp_path_factory.mktemp("batch") / "course"
    run("stagegrade", "new", course, cwd=course.parent, env=env)
    run("nbgrader", "generate_assignment", ASSIGNMENT, cwd=course, env=env)
    right = notebooks.solutions(SOURCE)
    release = course / f"release/{ASSIGNMENT}/{ASSIGNMENT}.ipynb"
    key = "solution-key_index"
    kinds = {
        "right": right,
        "keys-two": {**right, key: right[key].replace("keys[1]", "keys[2]")},
        "blank": {},
        "exits": {**right, key: "import os; os._exit(3)"},
    }
    for name, cells in kinds.items():
        made = notebooks.filled(release, cells)
        for number in range(COPIES):
            notebooks.write(submitted(course, f"{name}-{number}"), made)
    submitted(course, "unreadable").parent.mkdir(parents=True)
    submitted(course, "unreadable").write_text("{")
    submitted(course, "nothing").parent.mkdir(parents=True)
    handed = submitted(course, "right-0").parent
    (handed / "timestamp.txt").write_text("2026-02-01 12:00:00 UTC")
    (handed / "figure.txt").write_text("a student's own file")
    (course / f"source/{ASSIGNMENT}/data.txt").write_text("handed out beside the notebook")
    return course


@pytest.fixture
def course(ungraded, tmp_path) -> Path:
    copy: Path = tmp_path / "course"
    shutil.copytree(ungraded, copy)
    return copy


@pytest.fixture(scope="session")
def undisturbed(ungraded, tmp_path_factory, env) -> Path:
    """The course, graded by ``stagegrade autograde`` in one go."""
    copy: Path = tmp_path_factory.mktemp("undisturbed") / "course"
    shutil.copytree(ungraded, copy)
    run("stagegrade", "autograde", ASSIGNMENT, cwd=copy, env=env, status=1)
    return copy


def submitted(course: Path, student: str) -> Path:
    return course / f"submitted/{student}/{ASSIGNMENT}/{ASSIGNMENT}.ipynb"


Grade = Callable[..., str]
