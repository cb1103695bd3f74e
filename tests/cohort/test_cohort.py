"""The sample cohort: each student's verdicts, and that what is committed is what the code makes of it now."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stagegrade.pipelines import find
from tools import cohort
from tools.commands import run
from tools.gradebooks import content
from tools.samples import ROOT, Sample, assignments, samples

pytestmark = pytest.mark.timeout(900)

SAMPLES = samples()
EITHER_WAY = "query_key_value"
TOO_LARGE = "two-hundred-megabytes"

each_sample = pytest.mark.parametrize(
    "sample", SAMPLES, ids=[f"{sample.assignment}-{sample.student}" for sample in SAMPLES]
)


@pytest.fixture(scope="session")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with everything handed in and nothing graded."""
    course = tmp_path_factory.mktemp("course")
    cohort.release(course)
    cohort.hand_in(course)
    return course


@pytest.fixture(scope="session")
def graded(collected: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same course, graded by ``stagegrade autograde``, with one student more."""
    course = tmp_path_factory.mktemp("graded") / "course"
    shutil.copytree(collected, course)
    large = course / "submitted" / TOO_LARGE / EITHER_WAY / f"{EITHER_WAY}.ipynb"
    large.parent.mkdir(parents=True)
    with large.open("wb") as file:
        file.write(b'{"cells": [{"outputs": "')
        # Without filling the disk: what is never written takes no room.
        file.truncate(200 << 20)
    cohort.grade(course)
    return course


def record(course: Path, student: str, assignment: str) -> dict[str, Any]:
    notebook = json.loads((course / f"autograded/{student}/{assignment}/{assignment}.ipynb").read_bytes())
    found: dict[str, Any] = notebook["metadata"]["stagegrade"]
    return found


def records(course: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(course.glob("autograded/*/*/*.ipynb")):
        yield record(course, path.parts[-3], path.parts[-2])


def released(course: Path) -> dict[tuple[str, str], float]:
    """The most that each grade cell can give, by assignment and cell, as the source has it."""
    points = {}
    for assignment in assignments():
        notebook = json.loads((course / f"source/{assignment}/{assignment}.ipynb").read_bytes())
        for cell in notebook["cells"]:
            found = cell["metadata"].get("nbgrader", {})
            if found.get("grade"):
                points[assignment, found["grade_id"]] = float(found["points"])
    return points


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_release_is_what_the_source_makes(collected: Path) -> None:
    """Students would get another notebook than the one that an instructor edits."""
    assert files(collected / "release") == files(ROOT / "release")


def test_submissions_are_what_their_definitions_make(collected: Path) -> None:
    """A sample would show something else than its file says."""
    assert files(collected / "submitted") == files(ROOT / "submitted")


@each_sample
def test_a_sample_gets_the_verdicts_it_was_made_for(sample: Sample, graded: Path) -> None:
    """A student would be told another stage, another mistake or another score than the true one."""
    found = record(graded, sample.student, sample.assignment)
    wanted = {key: value for key, value in sample.expected.items() if key not in ("stages", "says")}
    usual: dict[str, Any] = {"status": "graded", "first_divergence": None, "checkpoint": None, "flags": []}
    assert {**usual, **wanted} == {key: found[key] for key in {*usual, *wanted}}

    rows = {row["stage"]: row for row in found["stages"]}
    assert [stage.name for stage in find(sample.assignment).asked] == list(rows)
    stages: dict[str, dict[str, Any]] = sample.expected.get("stages", {})
    right = {"verdict": "correct", "carried": False, "mistake": None, "alternatives": None}
    assert {name: {**right, **stages.get(name, {})} for name in rows} == {
        name: {key: row.get(key, row["evidence"].get(key)) for key in right} for name, row in rows.items()
    }
    for name, said in sample.expected.get("says", {}).items():
        assert said in rows[name]["message"]


def test_whatever_is_wrong_is_told_with_file_and_cell(graded: Path) -> None:
    """A student would not know where to look."""
    nowhere = [
        f"{found['assignment']}.{row['stage']}: {row['message']}"
        for found in records(graded)
        for row in found["stages"]
        if row["verdict"] != "correct"
        and not (
            found["notebook"] in row["message"]
            and (found["status"] == "unreadable" or re.search(r"\bcell [\w-]", row["message"]))
        )
    ]
    assert [] == nowhere


def test_a_carried_error_or_an_earlier_stage_is_never_the_first_divergence(graded: Path) -> None:
    """A right stage would be blamed for what came before it."""
    for found in records(graded):
        first = next((row for row in found["stages"] if row["verdict"] != "correct"), None)
        expected = None if first is None or found["status"] == "unreadable" else first["stage"]
        assert expected == found["first_divergence"]


def test_the_highest_score_is_always_the_sources(graded: Path) -> None:
    """A missing, copied or renamed cell would move a student's possible points."""
    points = released(graded)
    most = {
        name: sum(value for (assignment, _), value in points.items() if assignment == name)
        for name in assignments()
    }
    for found in records(graded):
        assert (
            most[found["assignment"]] == found["max_score"] == sum(r["max_points"] for r in found["stages"])
        )
        assert 0 <= found["score"] == sum(row["points"] for row in found["stages"])
    cells = {row["id"]: row["max_score"] for row in content(graded / "gradebook.db")["grade_cells"]}
    assert {
        f"{assignment}/{assignment}/{cell}": value for (assignment, cell), value in points.items()
    } == cells


def test_nobody_is_left_out(graded: Path) -> None:
    """A submission would have been lost on the way, or wait for a person who is not told."""
    handed_in = {(path.parts[-2], path.parts[-1]) for path in graded.glob("submitted/*/*")}
    rows = content(graded / "gradebook.db")
    assert handed_in == {(row["student_id"], row["assignment_id"]) for row in rows["submitted_assignment"]}
    assert handed_in == {(path.parts[-3], path.parts[-2]) for path in graded.glob("autograded/*/*/*.ipynb")}
    assert [] == [row for row in rows["grade"] if row["needs_manual_grade"] or row["auto_score"] is None]


def test_the_gradebook_has_the_scores_of_the_records(graded: Path) -> None:
    """Formgrader and the export would show other points than the verdicts give."""
    scores: dict[str, float] = {}
    for row in content(graded / "gradebook.db")["grade"]:
        scores[row["notebook_id"]] = scores.get(row["notebook_id"], 0.0) + row["auto_score"]
    for path in graded.glob("autograded/*/*/*.ipynb"):
        student, assignment = path.parts[-3], path.parts[-2]
        found = record(graded, student, assignment)
        assert found["score"] == scores[f"{student}/{assignment}/{assignment}/{assignment}"]


def test_a_notebook_of_two_hundred_megabytes_is_not_read(graded: Path) -> None:
    """One student's outputs would fill the grader's memory."""
    found = record(graded, TOO_LARGE, EITHER_WAY)
    assert ("unreadable", 0.0, None) == tuple(found[key] for key in ("status", "score", "first_divergence"))
    assert {"not_reached"} == {row["verdict"] for row in found["stages"]}
    assert [f"{EITHER_WAY}.ipynb: the file has 210 MB, and at most 21 MB are read. "] == [
        flag.partition("Clear")[0] for flag in found["flags"]
    ]


def steady(found: dict[str, Any]) -> dict[str, Any]:
    """A record less what a Python or a torch of another version, or another processor, may put otherwise."""
    rows = []
    for row in found["stages"]:
        kept = {
            key: row[key]
            for key in ("stage", "verdict", "carried", "points", "max_points", "mistake", "case")
        }
        if "error" not in row["evidence"]:
            kept["message"] = re.sub(r"[-+\d.e]*\d", "#", row["message"])
        rows.append(kept)
    return {**found, "stages": rows, "walls": None}


@each_sample
def test_the_committed_grades_are_those_of_now(sample: Sample, graded: Path) -> None:
    """A reader of ``autograded/`` would see verdicts that this code no longer gives."""
    committed = record(ROOT, sample.student, sample.assignment)
    now = record(graded, sample.student, sample.assignment)
    assert steady(committed) == steady(now)


def test_the_committed_gradebook_is_that_of_now(graded: Path) -> None:
    """A reader of ``gradebook.db`` would see grades that this code no longer gives."""
    now = {
        table: [row for row in rows if TOO_LARGE not in repr(row)]
        for table, rows in content(graded / "gradebook.db").items()
    }
    assert content(ROOT / "gradebook.db") == now


def test_the_committed_files_tell_nothing_of_the_machine_that_made_them() -> None:
    """A path of somebody's own would be published."""
    told = {
        place
        for path in ROOT.glob("autograded/*/*/*.ipynb")
        for place in re.findall(r"/(?:root|home|tmp|work|usr|var)/[\w/.-]+", path.read_text(encoding="utf-8"))
    }
    assert set() == told


@pytest.fixture(scope="session")
def by_nbgrader(collected: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course with one assignment graded by ``nbgrader autograde``."""
    course = tmp_path_factory.mktemp("nbgrader") / "course"
    shutil.copytree(collected, course)
    assert 0 == run(course, "nbgrader", "autograde", EITHER_WAY, "--log-level=CRITICAL")
    return course


def test_nbgrader_autograde_gives_the_same_gradebook(by_nbgrader: Path, graded: Path) -> None:
    """An instructor's choice of command, or formgrader's button, would change grades."""

    def of_it(course: Path) -> dict[str, list[Any]]:
        return {
            table: [row for row in rows if EITHER_WAY in repr(row) and TOO_LARGE not in repr(row)]
            for table, rows in content(course / "gradebook.db").items()
        }

    one, other = of_it(by_nbgrader), of_it(graded)
    assert 100 < len(one["grade"]) < len(one["grade"]) + len(one["comment"])
    assert one == other


def test_nbgrader_autograde_gives_the_same_records(by_nbgrader: Path, graded: Path) -> None:
    """An instructor's choice of command would change what a student is told."""
    told = {
        path.parts[-3]: record(by_nbgrader, path.parts[-3], EITHER_WAY)
        for path in by_nbgrader.glob(f"autograded/*/{EITHER_WAY}/*.ipynb")
    }
    assert len(told) == sum(1 for sample in SAMPLES if sample.assignment == EITHER_WAY)
    for student, found in told.items():
        assert record(graded, student, EITHER_WAY) == found
