"""What autograde, explain and diagnose print, and the status they end with."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from stagegrade.pipelines import find
from tests import notebooks
from tests.apps.conftest import KEYS_TWO, STAGED, Call, hand_in, submitted

pytestmark = pytest.mark.timeout(300)

RECORD = [
    "schema",
    "assignment",
    "notebook",
    "status",
    "score",
    "max_score",
    "first_divergence",
    "checkpoint",
    "stages",
    "flags",
]
ROW = ["stage", "verdict", "carried", "points", "max_points", "mistake", "message", "evidence", "case"]


@pytest.fixture(scope="session")
def alone(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook far from any course, under its released name."""
    folder = tmp_path_factory.mktemp("alone")
    shutil.copy(submitted(course, "keys-two"), folder / f"{STAGED}.ipynb")
    return folder / f"{STAGED}.ipynb"


def test_diagnose_prints_the_object_of_the_design(call: Call, alone: Path) -> None:
    """A program that reads it would find keys missing, or others than are promised."""
    said = call("diagnose", alone.name, "--json", cwd=alone.parent)
    assert (0, "") == (said.status, said.err)
    found = json.loads(said.out)
    assert RECORD == list(found)
    assert [ROW] * len(found["stages"]) == [list(row) for row in found["stages"]]
    assert (1, STAGED, f"{STAGED}.ipynb", "graded") == tuple(
        found[key] for key in ("schema", "assignment", "notebook", "status")
    )
    assert (11, 12, "key_index", "key index") == tuple(
        found[key] for key in ("score", "max_score", "first_divergence", "checkpoint")
    )
    assert [stage.name for stage in find(STAGED).asked] == [row["stage"] for row in found["stages"]]
    (row,) = (row for row in found["stages"] if row["stage"] == "key_index")
    assert ("diverges", False, 0, 1, "third-key") == tuple(
        row[key] for key in ("verdict", "carried", "points", "max_points", "mistake")
    )
    assert [] == found["flags"]


def test_diagnose_says_the_same_with_a_course_around(call: Call, course: Path, alone: Path) -> None:
    """A verdict would depend on where the notebook lies; only the cases' seeds may."""
    within, without = (
        json.loads(call("diagnose", path, "--json", cwd=path.parent).out)
        for path in (submitted(course, "keys-two"), alone)
    )
    for found in (within, without):
        for row in found["stages"]:
            for key in ("case", "evidence", "message"):
                del row[key]
    assert within == without


def test_diagnose_and_autograde_agree(call: Call, course: Path) -> None:
    """A student's own diagnosis would not be what the course decided."""
    graded = notebooks.read(course / f"autograded/keys-two/{STAGED}/{STAGED}.ipynb")
    said = call("diagnose", submitted(course, "keys-two"), "--json", cwd=course)
    record = graded["metadata"]["stagegrade"]
    assert {key: record[key] for key in RECORD} == json.loads(said.out)


def test_diagnose_tells_the_assignment_by_the_cells(call: Call, alone: Path, tmp_path: Path) -> None:
    """A student who renamed the file would have to know what --assignment wants."""
    renamed = tmp_path / "homework (2).ipynb"
    shutil.copy(alone, renamed)
    said = call("diagnose", renamed.name, cwd=tmp_path)
    assert 0 == said.status
    assert said.out.startswith(f"{STAGED}, homework (2).ipynb: 11 of 12")
    assert "In homework (2).ipynb, cell solution-key_index" in said.out
    assert f"{STAGED}.ipynb" not in said.out
    assert "Look first at: key_index" in said.out


def test_diagnose_takes_the_assignment_that_is_named(call: Call, tmp_path: Path) -> None:
    """A file in which nothing can be recognised could not be diagnosed at all."""
    (tmp_path / "notes.txt").write_text("no notebook")
    said = call("diagnose", "notes.txt", f"--assignment={STAGED}", "--json", cwd=tmp_path)
    found = json.loads(said.out)
    assert (1, "unreadable", 0, 12) == (said.status, found["status"], found["score"], found["max_score"])
    assert {"not_reached"} == {row["verdict"] for row in found["stages"]}
    assert "it is not JSON" in found["flags"][0]


def test_explain_shows_one_stage_or_all(call: Call, course: Path) -> None:
    """An instructor could not look at the stage that a student asks about."""
    whole = call("explain", STAGED, "keys-two", cwd=course)
    assert 0 == whole.status
    assert "Look first at: key_index (checkpoint: key index)" in whole.out
    one = call("explain", STAGED, "keys-two", "key_index", cwd=course)
    assert "third-key" in one.out
    assert "✓ scaling: right (2 of 2 points)" in whole.out
    assert "✓ scaling: right (2 of 2 points)" not in one.out


def test_autograde_ends_with_1_where_one_could_not_be_graded(
    call: Call, course: Path, tmp_path: Path
) -> None:
    """A script that grades a class would not notice."""
    copy = shutil.copytree(course, tmp_path / "attention")
    shutil.rmtree(copy / "submitted/waiting")
    junk = submitted(copy, "junk")
    junk.parent.mkdir(parents=True)
    junk.write_text("no notebook")
    hand_in(copy, "again", notebooks.solutions(copy / f"source/{STAGED}/{STAGED}.ipynb") | KEYS_TWO)
    said = call("autograde", STAGED, cwd=copy)
    assert 1 == said.status
    assert "junk: unreadable: query_key_value.ipynb: it is not JSON" in said.err
    assert "third-key" in said.out
    assert "4 submissions: 1 right throughout, 2 diverge, 1 could not be graded whole." in said.out
    assert said.err.endswith(
        "; 1 could not be graded whole and needs a person "
        "(stagegrade report query_key_value says who, and what else to look at)\n"
    )
    concerns = _concerns(call, copy)
    assert ["junk"] == list(concerns)
    assert "query_key_value.ipynb could not be read" == concerns["junk"][0]

    idle = call("autograde", STAGED, cwd=copy)
    assert 0 == idle.status
    assert "0 graded in 0.0 s, 4 were graded before; 1 could not be graded whole" in idle.err
    with Gradebook(f"sqlite:///{copy / 'gradebook.db'}") as gradebook:
        settled: Any = gradebook.find_submission_notebook(STAGED, STAGED, "junk")
        settled.grades[0].manual_score = 0.0
        gradebook.db.commit()
    assert 0 == json.loads(call("autograde", STAGED, "--json", cwd=copy).out)["not_whole"]
    assert {} == _concerns(call, copy)

    junk.write_text("{")
    for graded in (1, 0):
        found = json.loads(call("autograde", STAGED, "--json", cwd=copy).out)
        assert (graded, 1) == (found["graded"], found["not_whole"])
    assert "query_key_value.ipynb could not be read" in _concerns(call, copy)["junk"]

    again = call("autograde", "--assignment", STAGED, "--student=[ar]*", "--force", cwd=copy)
    assert 0 == again.status
    assert again.err.startswith("2 graded in ")
    assert "2 submissions: 1 right throughout, 1 diverges." in again.out


def _concerns(call: Call, course: Path) -> dict[str, list[str]]:
    """What `report` has under "Needs a person", by student."""
    found = json.loads(call("report", STAGED, "--json", cwd=course).out)["students"]
    return {one["student"]: one["concerns"] for one in found if one["concerns"]}


def test_names_that_nbgrader_cannot_handle_are_told_at_grading(
    call: Call, course: Path, tmp_path: Path
) -> None:
    """Feedback would end at such a folder, or leave its student out without a word."""
    copy = shutil.copytree(course, tmp_path / "attention")
    strange = ["new\nline", "[red]bob[bold]"]
    for name in strange:
        hand_in(copy, name, {})
    said = call("autograde", STAGED, cwd=copy)
    assert 0 == said.status
    for name in strange:
        assert f"the folder {name!r} in submitted/ is graded, but nbgrader's own commands cannot" in said.err
    assert len(strange) == said.err.count("rename it\n")


def test_a_fault_in_the_courses_own_pipeline_is_told(call: Call, course: Path, tmp_path: Path) -> None:
    """A class would be graded as wrong, or not at all, for the instructor's slip."""
    copy = shutil.copytree(course, tmp_path / "attention")
    (copy / "pipelines").mkdir()
    (copy / f"pipelines/{STAGED}.py").write_text("PIPELINE = None\n")
    for words in (["autograde", STAGED, "--force"], ["diagnose", submitted(copy, "right")]):
        said = call(*words, cwd=copy)
        assert 0 != said.status
        assert f"{STAGED}.ipynb, cell test-projection" in said.err
        assert f"pipelines/{STAGED}.py: declares no PIPELINE" in said.err
        assert "Traceback" not in said.err
