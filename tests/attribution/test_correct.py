"""Correct implementations in as many styles as people write them: none of them is blamed for anything."""

import ast
import json
from collections import Counter
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import torch

import stageprobe
from stagegrade.diagnosis import StageVerdict
from stagegrade.pipelines import find
from tests.judge.desk import hand, judge_of

ROOT = Path(__file__).parents[2]
CORRECT = Path(__file__).parent / "correct"
FILES = sorted(CORRECT.glob("*/*.py"))

torch.set_num_threads(1)


@cache
def cells(assignment: str) -> list[CodeType | None]:
    """The source notebook's own code cells in order; ``None`` where the first of the student's stands."""
    notebook = json.loads((ROOT / "source" / assignment / f"{assignment}.ipynb").read_bytes())
    found: list[CodeType | None] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        if not cell["metadata"]["nbgrader"]["solution"]:
            found.append(compile("".join(cell["source"]), cell["metadata"]["nbgrader"]["grade_id"], "exec"))
        elif None not in found:
            found.append(None)
    return found


def verdicts(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[StageVerdict]:
    """What the judge says of the functions in ``path``, handed over by the notebook's own test cells."""
    judge = judge_of(path.parent.name)

    def answer(stage: str, handed: object) -> None:
        hand(judge, stage.rpartition(".")[2], handed)

    monkeypatch.setattr(stageprobe, "answer", answer)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for code in cells(path.parent.name):
        exec(code or compile(path.read_text(encoding="utf-8"), path.name, "exec"), namespace)
    return judge.verdicts


# Some ways of writing it make torch or NumPy warn, which costs nobody a point.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}-{path.stem}" for path in FILES])
def test_a_correct_notebook_is_blamed_for_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A student whose code is unusual and right would lose points, and trust."""
    found = verdicts(path, monkeypatch)
    blamed = {v.stage: v.message for v in found if not v.earns or v.carried}
    assert {} == blamed
    assert [stage.name for stage in find(path.parent.name, []).asked] == [v.stage for v in found]


def test_there_are_a_hundred_and_fifty_styles_and_no_two_are_one() -> None:
    """The number would stand for less than it says: the same code under two names."""
    assert len(FILES) >= 150
    assert {"find_the_divergence", "query_key_value", "self_attention", "simplified_attention"} == {
        path.parent.name for path in FILES
    }
    same = Counter(ast.dump(ast.parse(path.read_text(encoding="utf-8"))) for path in FILES)
    assert 1 == max(same.values())
