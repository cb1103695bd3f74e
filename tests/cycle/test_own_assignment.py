"""An assignment of a course's own, with nothing of attention in it, as docs/maintainers.md shows it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests import notebooks
from tests.commands import environment, run
from tests.documents import blocks
from tests.notebooks import code_cell, text_cell

pytestmark = pytest.mark.timeout(300)

CONFIG = """
from stagegrade.autograde import configure

c = get_config()
configure(c)
"""

PIPELINE, HIDDEN_SOLUTION, HIDDEN_TEST, *_ = blocks("docs/maintainers.md", "python")

OUTPUT_SOLUTION = (
    "def output(hidden, W2, b2):\n    ### BEGIN SOLUTION\n    return hidden @ W2 + b2\n    ### END SOLUTION\n"
)
OUTPUT_TEST = (
    "### BEGIN HIDDEN TESTS\n"
    'import stageprobe; stageprobe.answer("two_layer.output", output)\n'
    "### END HIDDEN TESTS\n"
)

SOURCE = notebooks.notebook(
    code_cell("import torch\n", "setup", locked=True),
    code_cell(HIDDEN_SOLUTION, "solution-hidden", solution=True),
    code_cell(HIDDEN_TEST, "test-hidden", grade=True, locked=True, points=3),
    code_cell(OUTPUT_SOLUTION, "solution-output", solution=True),
    code_cell(OUTPUT_TEST, "test-output", grade=True, locked=True, points=2),
    text_cell("Why is there a bend?", "essay", grade=True, solution=True, points=1),
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course made by hand: its configuration, one file, one notebook, two submissions; graded."""
    root = tmp_path_factory.mktemp("own")
    (root / "nbgrader_config.py").write_text(CONFIG)
    (root / "pipelines").mkdir()
    (root / "pipelines/two_layer.py").write_text(PIPELINE)
    source = notebooks.write(root / "source/two_layer/two_layer.ipynb", SOURCE)
    env = environment(root / "home")
    run("nbgrader", "generate_assignment", "two_layer", cwd=root, env=env)

    right = notebooks.solutions(source)
    forgotten = {
        "solution-hidden": right["solution-hidden"].replace("torch.relu(x @ W1 + b1)", "x @ W1 + b1")
    }
    for student, cells in {"right": right, "relu-forgotten": right | forgotten}.items():
        made = notebooks.filled(root / "release/two_layer/two_layer.ipynb", cells)
        notebooks.write(root / f"submitted/{student}/two_layer/two_layer.ipynb", made)
    run("stagegrade", "autograde", "two_layer", cwd=root, env=env)
    return root


def record(course: Path, student: str) -> dict[str, Any]:
    graded = notebooks.read(course / f"autograded/{student}/two_layer/two_layer.ipynb")
    found: dict[str, Any] = graded["metadata"]["stagegrade"]
    return found


def test_one_file_and_one_notebook_make_an_assignment(course: Path) -> None:
    """Adding an assignment would need an edit somewhere else."""
    found = record(course, "right")
    assert ("graded", 5, 6, None) == tuple(
        found[key] for key in ("status", "score", "max_score", "first_divergence")
    )
    assert [("hidden", 3, 3), ("output", 2, 2)] == [
        (row["stage"], row["points"], row["max_points"]) for row in found["stages"]
    ]


def test_its_mistakes_are_named_and_its_errors_carried(course: Path) -> None:
    """An assignment of a course's own would be graded with less than those that come with the project."""
    found = record(course, "relu-forgotten")
    assert ("hidden", 2) == (found["first_divergence"], found["score"])
    hidden, output = found["stages"]
    assert ("diverges", "relu-forgotten") == (hidden["verdict"], hidden["mistake"])
    assert ("correct", True) == (output["verdict"], output["carried"])


def test_it_is_diagnosed_from_anywhere_in_its_course(course: Path) -> None:
    """A course's own pipelines would be found by autograde alone."""
    notebook = course / "submitted/relu-forgotten/two_layer/two_layer.ipynb"
    env = environment(course / "home")
    done = run("stagegrade", "diagnose", notebook, "--json", cwd=notebook.parent, env=env)
    told = json.loads(done.stdout)
    graded = record(course, "relu-forgotten")
    assert {key: graded[key] for key in told} == told
