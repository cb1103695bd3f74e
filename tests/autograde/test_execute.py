"""``StageExecute`` with nbgrader's own options: a cell's time is the configured one, and what was reached is scored."""

from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook
from traitlets.config import Config

from stagegrade.autograde import StageExecute

POINTS = {"scores": 2.0, "softmax": 3.0}
RIGHT = {
    "scores": "def scores(query, keys):\n    return keys @ query",
    "softmax": "def softmax(scaled):\n    return scaled.softmax(-1)",
}
LOOP = "while True:\n    pass"
STUBBORN = (
    "while True:\n    try:\n        while True:\n            x = 1\n    except BaseException:\n        x = 2"
)


@pytest.fixture(scope="module")
def gradebook(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A gradebook with a notebook of two tests, a stage each."""
    url = f"sqlite:///{tmp_path_factory.mktemp('course') / 'gradebook.db'}"
    with Gradebook(url) as opened:
        found: Any = opened  # nbgrader annotates its keyword arguments as dicts
        found.add_assignment("a")
        found.add_notebook("n", "a")
        for stage, points in POINTS.items():
            name = f"test-{stage}"
            found.add_source_cell(name, "n", "a", cell_type="code", source=answer(stage), locked=True)
            found.add_grade_cell(name, "n", "a", max_score=points, cell_type="code")
    return url


def answer(stage: str) -> str:
    return f'import stageprobe; stageprobe.answer("query_key_value.{stage}", {stage})'


def grade_cell(stage: str) -> NotebookNode:
    name = f"test-{stage}"
    given = {"grade": True, "grade_id": name, "locked": True, "solution": False, "points": POINTS[stage]}
    made: NotebookNode = new_code_cell(answer(stage), id=name, metadata={"nbgrader": given})
    return made


def graded(gradebook: str, folder: Path, between: str, timeout: int) -> tuple[NotebookNode, dict[str, Any]]:
    """A notebook that is right, with a cell of the student's ``between`` its two tests; and what was kept of it."""
    cells = [
        new_code_cell(RIGHT["scores"]), grade_cell("scores"), new_code_cell(between),
        new_code_cell(RIGHT["softmax"]), grade_cell("softmax"),
    ]  # fmt: skip
    names = {"db_url": gradebook, "assignment": "a", "notebook": "n", "student": "somebody"}
    execute = StageExecute(config=Config({"Execute": {"timeout": timeout}}))
    notebook, resources = execute.preprocess(
        new_notebook(cells=cells), {"nbgrader": names, "metadata": {"path": str(folder)}}
    )
    return notebook, resources["stagegrade"]


def errors(cell: NotebookNode) -> list[str]:
    return [output.ename for output in cell.outputs if output.output_type == "error"]


def test_a_loop_is_cut_at_the_configured_time_and_the_rest_is_graded(gradebook: str, tmp_path: Path) -> None:
    """An instructor's ``c.Execute.timeout`` would be of no effect, or one loop cost every test after it."""
    notebook, kept = graded(gradebook, tmp_path, LOOP, timeout=1)
    assert ["KeyboardInterrupt", "CellTimeoutError"] == errors(notebook.cells[2])
    assert {"test-scores": 2.0, "test-softmax": 3.0} == kept["scores"]
    assert ("graded", 5.0) == (kept["record"]["status"], kept["record"]["score"])


def test_within_the_configured_time_a_cell_is_let_be(gradebook: str, tmp_path: Path) -> None:
    """A longer time that an instructor allows would be cut all the same."""
    notebook, kept = graded(gradebook, tmp_path, "import time; time.sleep(1.5)", timeout=20)
    assert [] == errors(notebook.cells[2])
    assert 5.0 == kept["record"]["score"]


def test_a_cell_that_ignores_its_interruption_costs_what_comes_after_it_alone(
    gradebook: str, tmp_path: Path
) -> None:
    """What was reached before the process had to be ended would be lost, or what was not would be given."""
    notebook, kept = graded(gradebook, tmp_path, STUBBORN, timeout=1)
    assert ["DeadKernelError"] == errors(notebook.cells[2])
    assert {"test-scores": 2.0, "test-softmax": 0.0} == kept["scores"]
    verdicts = {row["stage"]: row["verdict"] for row in kept["record"]["stages"]}
    assert {"scores": "correct", "softmax": "not_reached"} == verdicts
    assert "graded" == kept["record"]["status"]


@pytest.mark.parametrize("line", ["import os; os._exit(0)", "exit()"])
def test_a_cell_that_exits_costs_what_comes_after_it_alone(line: str, gradebook: str, tmp_path: Path) -> None:
    """A submission that exits would have no score at all, as in nbgrader."""
    _, kept = graded(gradebook, tmp_path, line, timeout=20)
    assert {"test-scores": 2.0, "test-softmax": 0.0} == kept["scores"]
    assert "softmax" == kept["record"]["first_divergence"]
