"""A cell of an LSTM, graded from its source notebook to the record: nothing but a pipeline knows what attention is."""

import ast
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from nbgrader.apps.baseapp import NbGrader
from torch import nn

import stagegrade
from stagegrade.autograde import belonging, diagnose
from stagegrade.autograde._check import told_apart
from stagegrade.diagnosis import StageVerdict, first_divergence
from stagegrade.judge import Judge
from stagegrade.pipelines import find
from tests import notebooks
from tests.judge.desk import hand
from tests.notebooks import code_cell

DECLARED = Path(__file__).with_name("lstm_cell.py")
CONFIG = "from stagegrade.autograde import configure\nc = get_config()\nconfigure(c)\n"
STAGES = ("parameters", "gates", "candidate", "cell", "hidden")

LAYER = '''
class Cell(nn.Module):
    """One step: x (n, d_in), the state h (n, d) and the cell c (n, d) give the new state (n, d)."""

    def __init__(self, d_in, d):
        ### BEGIN SOLUTION
        super().__init__()
        for name in ("forget", "add", "show", "new"):
            setattr(self, f"W_{name}", nn.Parameter(torch.rand(d_in, d)))
            setattr(self, f"U_{name}", nn.Parameter(torch.rand(d, d)))
        ### END SOLUTION

    def forward(self, x, h, c):
        ### BEGIN SOLUTION
        forget = torch.sigmoid(x @ self.W_forget + h @ self.U_forget)
        add = torch.sigmoid(x @ self.W_add + h @ self.U_add)
        show = torch.sigmoid(x @ self.W_show + h @ self.U_show)
        new = torch.tanh(x @ self.W_new + h @ self.U_new)
        cell = forget * c + add * new
        return show * torch.tanh(cell)
        ### END SOLUTION
'''
TEST = '### BEGIN HIDDEN TESTS\nimport stageprobe; stageprobe.answer("lstm_cell.{}", Cell)\n### END HIDDEN TESTS\n'
SOURCE = notebooks.notebook(
    code_cell("import torch\nfrom torch import nn\n", "setup", locked=True),
    code_cell(LAYER, "solution-cell", solution=True),
    *(code_cell(TEST.format(s), f"test-{s}", grade=True, locked=True, points=2) for s in STAGES),
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose one assignment is this one."""
    root = tmp_path_factory.mktemp("beyond")
    (root / "nbgrader_config.py").write_text(CONFIG)
    (root / "pipelines").mkdir()
    shutil.copy(DECLARED, root / "pipelines")
    notebooks.write(root / "source/lstm_cell/lstm_cell.ipynb", SOURCE)
    return root


def edited(course: Path, edits: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The solution's cells with ``edits``."""
    cells = notebooks.solutions(course / "source/lstm_cell/lstm_cell.ipynb")
    for old, new in edits:
        assert 1 == cells["solution-cell"].count(old)
        cells["solution-cell"] = cells["solution-cell"].replace(old, new)
    return cells


def record(course: Path, student: str, *edits: tuple[str, str]) -> dict[str, Any]:
    """The record of a whole notebook, from the jail."""
    cells = edited(course, edits)
    made = notebooks.filled(course / "source/lstm_cell/lstm_cell.ipynb", cells)
    path = notebooks.write(course / f"submitted/{student}/lstm_cell/lstm_cell.ipynb", made)
    return diagnose(path, belonging(path), NbGrader())


def told(found: dict[str, Any]) -> dict[str, tuple[str, bool, str | None]]:
    return {row["stage"]: (row["verdict"], row["carried"], row["mistake"]) for row in found["stages"]}


def verdicts(course: Path, *edits: tuple[str, str]) -> list[StageVerdict]:
    """What the judge says of the class alone."""
    namespace: dict[str, Any] = {"__name__": "__main__", "torch": torch, "nn": nn}
    exec(edited(course, edits)["solution-cell"], namespace)
    judge = Judge(find("lstm_cell", [course / "pipelines"]), seed=7)
    return [hand(judge, stage, namespace["Cell"]) for stage in STAGES]


RIGHT = ("correct", False, None)
CARRIED = ("correct", True, None)


def test_it_is_declared_in_less_than_eighty_lines() -> None:
    """A course would need a programmer of graders for an assignment from elsewhere."""
    assert len(DECLARED.read_text(encoding="utf-8").splitlines()) < 80


def test_a_right_cell_gets_full_marks(course: Path) -> None:
    """What is known of attention would be asked of a layer that has none."""
    found = record(course, "right")
    assert ("graded", 10, 10) == (found["status"], found["score"], found["max_score"])
    assert dict.fromkeys(STAGES, RIGHT) == told(found)


def test_the_first_stage_to_diverge_is_found_in_its_forward_and_the_mistake_named(course: Path) -> None:
    """An error in the middle of another layer than attention would be a wrong number at its end."""
    found = record(course, "sigmoid", ("new = torch.tanh(", "new = torch.sigmoid("))
    assert ("candidate", 8) == (found["first_divergence"], found["score"])
    named = ("diverges", False, "sigmoid-for-tanh")
    assert dict(zip(STAGES, (RIGHT, RIGHT, named, CARRIED, CARRIED), strict=True)) == told(found)
    smallest = found["stages"][2]["evidence"]["smallest"]
    assert {"x", "h", "c", "W_new", "U_new"} <= set(smallest["inputs"])


def test_two_mistakes_are_both_named(course: Path) -> None:
    """One mistake would hide the other wherever the layer is not attention."""
    found = verdicts(
        course, ("forget * c + add * new", "add * new"), ("h @ self.U_new", "0 * (h @ self.U_new)")
    )
    mistakes = [verdict.mistake for verdict in found if not verdict.passed]
    assert (["state-left-out", "nothing-kept"], "candidate") == (mistakes, first_divergence(found))


ODD = {
    "hidden": ("show * torch.tanh(cell)", "show * torch.tanh(0.7 * cell)"),
    "cell": ("forget * c + add * new", "forget * c + 0.7 * add * new"),
    "parameters": ('setattr(self, f"W_{name}", nn.Parameter(', 'setattr(self, f"W_{name}", ('),
}


@pytest.mark.parametrize("stage", ODD)
def test_what_no_mistake_explains_is_located_by_the_tensors_that_were_made(course: Path, stage: str) -> None:
    """Without a mistake of the catalogue's the stage would be guessed."""
    assert [stage] == [verdict.stage for verdict in verdicts(course, ODD[stage]) if not verdict.passed]


def test_each_of_its_mistakes_is_caught_and_named(course: Path) -> None:
    """Naming mistakes would work for the mistakes of attention alone."""
    proof = told_apart([find("lstm_cell", [course / "pipelines"])], seed=3)
    assert ((), "5 mistakes") == (proof.findings, proof.measured)


ATTENTION = re.compile(r"attention|softmax|W_query|W_key|W_value|query_key|\btokens?\b", re.IGNORECASE)


@pytest.mark.parametrize("layer", ["diagnosis", "judge", "jail", "report"])
def test_no_layer_above_the_pipelines_names_anything_of_attention(layer: str) -> None:
    """What one assignment is about would be decided where every assignment passes."""
    found = []
    for path in sorted((Path(stagegrade.__file__).parent / layer).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            said = (
                node.id if isinstance(node, ast.Name)
                else node.attr if isinstance(node, ast.Attribute)
                else node.value if isinstance(node, ast.Constant) and id(node) not in documented
                else ""
            )  # fmt: skip
            if isinstance(said, str) and ATTENTION.search(said):
                found.append(f"{path.name}: {said}")
    assert [] == found
