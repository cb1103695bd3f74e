"""Honest accidents: each submission ends with the right status, and with the points of what was reached."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.corpus import ASSIGNMENT, NAME, source
from tests.faults.accidents import ACCIDENTS, ALL, Accident

pytestmark = pytest.mark.timeout(900)

CONFIG = """
from stagegrade.autograde import configure
c = get_config()
c.CourseDirectory.course_id = "faults"
configure(c)
c.StageExecute.timeout = 3
c.StageExecute.call_timeout = 1.0
c.SubmissionLimits.memory_megabytes = 256
c.SubmissionLimits.file_megabytes = 8
"""
STAGEGRADE = "from stagegrade.apps import main; main()"


def student(accident: Accident) -> str:
    return re.sub(r"[^a-z0-9]+", "-", accident.name).strip("-")


def run(root: Path, *arguments: str, program: str = "stagegrade") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    started = (
        [sys.executable, "-m", "nbgrader"] if program == "nbgrader" else [sys.executable, "-c", STAGEGRADE]
    )
    return subprocess.run(
        [*started, *arguments], check=False, cwd=root, env=environment, capture_output=True, text=True
    )


def course(root: Path, accidents: list[Accident]) -> None:
    (root / "source" / ASSIGNMENT).mkdir(parents=True)
    (root / "source" / ASSIGNMENT / NAME).write_text(json.dumps(source()), encoding="utf-8")
    (root / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    made = run(root, "generate_assignment", ASSIGNMENT, "--create", program="nbgrader")
    assert 0 == made.returncode, made.stderr
    for accident in accidents:
        folder = root / "submitted" / student(accident) / ASSIGNMENT
        folder.mkdir(parents=True)
        accident.hand_in(folder)


def record(root: Path, name: str) -> dict[str, Any]:
    path = root / "autograded" / name / ASSIGNMENT / NAME
    return dict(json.loads(path.read_bytes())["metadata"]["stagegrade"])


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("faults") / "course"
    course(root, ACCIDENTS)
    done = run(root, "autograde", ASSIGNMENT, "--jobs", "2")
    # Some could not be read, which a script has to be able to tell.
    assert 1 == done.returncode, done.stderr
    return root


def test_there_are_enough_accidents() -> None:
    """Accidents could be lost without a test failing, or two of a name hide each other."""
    names = [student(accident) for accident in ACCIDENTS]
    assert len(names) == len(set(names))
    assert len(names) >= 40


@pytest.mark.parametrize("accident", ACCIDENTS, ids=student)
def test_what_was_reached_is_scored(graded: Path, accident: Accident) -> None:
    """A student would lose points for what was right, or an instructor never hear of what was not."""
    found = record(graded, student(accident))
    assert accident.status == found["status"]
    assert accident.score == found["score"], [
        (r["stage"], r["verdict"], r["message"]) for r in found["stages"]
    ]
    if accident.status == "graded":
        wrong = {row["stage"]: row["verdict"] for row in found["stages"] if row["verdict"] != "correct"}
        assert accident.verdicts == wrong
    if accident.flag:
        assert [] != [flag for flag in found["flags"] if accident.flag in flag], found["flags"]
    elif accident.score == ALL:
        assert [] == found["flags"]
