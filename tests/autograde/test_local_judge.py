"""A judge beside a process of one's own: an instructor who runs a source notebook by hand sees the verdicts."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from stageprobe._local import local_desk

COURSE = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def by_hand() -> nbformat.NotebookNode:
    """A source notebook after all its cells were run in a kernel, with one right stage made wrong."""
    folder = COURSE / "source" / "query_key_value"
    notebook: nbformat.NotebookNode = nbformat.read(folder / "query_key_value.ipynb", as_version=4)
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}
    context = cells["solution-context"]
    name = re.search(r"^def (\w+)", context.source, re.MULTILINE)
    assert name is not None
    context.source += f"\n\nright = {name[1]}\n{name[1]} = lambda *given: right(*given) * 2"
    client = NotebookClient(
        notebook, timeout=90, allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return notebook


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_verdicts_show_under_the_grade_cells_of_a_source_notebook(by_hand: nbformat.NotebookNode) -> None:
    """An instructor who runs a notebook by hand would see nothing, or an error, where a hidden test stands."""
    shown = {}
    for cell in by_hand.cells:
        told = re.search(r'stageprobe\.answer\("query_key_value\.(\w+)"', cell.source)
        if told and cell.cell_type == "code":
            shown[told[1]] = [out["data"] for out in cell.outputs if out.output_type == "display_data"]
    assert {"projection", "key_index", "scores", "scaling", "softmax", "context"} == set(shown)
    assert dict.fromkeys(shown, 1) == {stage: len(panels) for stage, panels in shown.items()}
    for stage, (data,) in shown.items():
        first = data["text/plain"].splitlines()[0]
        assert stage in first
        assert ("✗" if stage == "context" else "✓") in first, data["text/plain"]
        assert "text/html" in data


SCRIPT = """
import os, signal, sys, time
import stageprobe
from stageprobe import _local

def scale(scores, keys):
    return scores / keys.shape[-1] ** 0.5

stageprobe.answer("query_key_value.scaling", scale)
stageprobe.answer("query_key_value.scaling", lambda scores, keys: scores)
stageprobe.answer("query_key_value.no_such_stage", scale)
stageprobe.answer("no_such_pipeline.scaling", scale)
stageprobe.answer("doubling.double", lambda x: 2 * x)
judge = _local._started[0]
judge.kill()
judge.wait()
try:
    stageprobe.answer("query_key_value.scaling", scale)
except RuntimeError as error:
    print("RuntimeError:", error)
stageprobe.answer("query_key_value.scaling", scale)
print("judge", _local._started[1].pid)
"""

CONFIG = 'c = get_config()\nc.StageExecute.pipelines = ["own"]\n'
OWN = """
import torch
from stagegrade.pipelines import Pipeline, Stage

PIPELINE = Pipeline(
    name="doubling",
    inputs={"x": ("n",)},
    worked=lambda: {"x": torch.tensor([1.0, 2.0])},
    stages=(
        Stage(
            name="double",
            purpose="doubles each number",
            formula="2 * x",
            reference=lambda x: 2 * x,
            gives={"doubled": ("n",)},
        ),
    ),
)
"""


def test_a_plain_process_has_a_judge_too(tmp_path: Path) -> None:
    """A script or a console would show a dictionary, nothing, or hang when its judge is gone; and a course that
    keeps its pipelines elsewhere would hear that there is none."""
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "doubling.py").write_text(OWN)
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=110
    )
    assert 0 == found.returncode, found.stderr
    lines = [line for line in found.stdout.splitlines() if not line.startswith(" ")]
    assert lines[0].startswith("✓ scaling"), found.stdout
    assert lines[1].startswith("✗ scaling"), found.stdout
    assert "no_such_stage" in found.stdout
    assert "no_such_pipeline" in found.stdout
    assert any(line.startswith("✓ double") for line in lines), found.stdout
    assert "RuntimeError: The judge has ended. Run the cell again: that starts another." in lines
    assert lines[-2].startswith("✓ scaling")
    judge = int(lines[-1].split()[1])
    deadline = time.monotonic() + 10
    while Path(f"/proc/{judge}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{judge}").exists(), "the judge outlives the process it is for"


def test_without_the_judges_package_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A student who meets a hidden test would see an import error from the depths."""
    monkeypatch.setitem(sys.modules, "stagegrade", None)
    with pytest.raises(RuntimeError, match="the package stagegrade is not installed here"):
        local_desk()


def test_a_judge_that_does_not_start_is_an_error_not_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken installation would leave the cell running for ever."""
    false = next(path for path in ("/bin/false", "/usr/bin/false") if os.access(path, os.X_OK))
    monkeypatch.setattr(sys, "executable", false)
    with pytest.raises(RuntimeError, match="The judge did not start"):
        local_desk()
