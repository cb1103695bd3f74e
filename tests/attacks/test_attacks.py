"""Hostile submissions, graded in one run with honest ones beside them."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from tests.attacks.acting import acting_in
from tests.attacks.corpus import ASSIGNMENT, NAME, Attack, attacks, solved, source

pytestmark = pytest.mark.timeout(900)

SECRET = "SECRET-5f1d"
STAGEGRADE = "from stagegrade.apps import main; main()"
CONFIG = f"""
from stagegrade.autograde import configure
c = get_config()
c.CourseDirectory.course_id = "attacked"  # {SECRET}
configure(c)
c.StageExecute.timeout = 2
c.StageExecute.call_timeout = 1.0
c.SubmissionLimits.cpu_seconds = 5
c.SubmissionLimits.notebook_seconds = 8
c.SubmissionLimits.memory_megabytes = 256
c.SubmissionLimits.processes = 24
c.SubmissionLimits.scratch_megabytes = 16
c.SubmissionLimits.file_megabytes = 8
c.SubmissionLimits.cell_output_kilobytes = 256
"""
HONEST: dict[str, tuple[str, ...] | None] = {
    "honest-right": None,
    "honest-half": ("solution-scores", "solution-add"),
    "honest-blank": (),
}
POINTS = {"honest-right": 14.0, "honest-half": 6.0, "honest-blank": 0.0}

# Where nbgrader's own command takes another way to the same reading: files that are none, and files beside them.
STRANGE = [
    f"files-{name}"
    for name in (
        "picture_many_times", "name_of_markup", "links", "pipe", "device", "odd_names", "archive", "deep_folders",
        "linked_notebook", "endless_notebook", "folder_for_notebook", "pipe_for_notebook", "deep_json", "keys_doubled",
    )
]  # fmt: skip


@dataclass
class Graded:
    """A course after grading."""

    root: Path
    said: str
    corpus: dict[str, Attack]
    before: set[str]
    """Files of the course, and of the folder for temporary files, before it."""

    def record(self, student: str) -> dict[str, Any]:
        return dict(self.notebook(student)["metadata"]["stagegrade"])

    def notebook(self, student: str) -> dict[str, Any]:
        return dict(json.loads((self.root / "autograded" / student / ASSIGNMENT / NAME).read_bytes()))


def files(root: Path) -> set[str]:
    """What grading has no reason to change: all but its results."""
    found = {
        str(p) for p in root.rglob("*") if p.relative_to(root).parts[0] not in ("autograded", "gradebook.db")
    }
    return found | {str(path) for path in Path("/tmp").glob("*pwned*")}


def run(root: Path, *command: str, status: int = 0) -> str:
    environment = {**os.environ, "HOME": str(root.parent / "home"), "STAGEGRADE_SECRET": SECRET}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    program = (
        [sys.executable, "-m", "nbgrader"] if command[0] == "nbgrader" else [sys.executable, "-c", STAGEGRADE]
    )
    done = subprocess.run(
        [*program, *command[1:]], check=False, cwd=root, env=environment, capture_output=True, text=True
    )
    assert status == done.returncode, done.stderr[-4000:]
    assert "Traceback" not in done.stderr or command[0] == "nbgrader"
    return done.stderr


def course(root: Path) -> None:
    (root / "source" / ASSIGNMENT).mkdir(parents=True)
    (root / "source" / ASSIGNMENT / NAME).write_text(json.dumps(source()), encoding="utf-8")
    (root / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    (root / "secret.txt").write_text(SECRET, encoding="utf-8")
    home = root.parent / "home"
    home.mkdir(exist_ok=True)
    (home / "secret.txt").write_text(SECRET, encoding="utf-8")
    run(root, "nbgrader", "generate_assignment", ASSIGNMENT, "--create")
    for student, names in HONEST.items():
        folder = root / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / NAME).write_text(json.dumps(solved(source(), names)), encoding="utf-8")


def hand_in(root: Path, found: list[Attack]) -> dict[str, Attack]:
    for attack in found:
        folder = root / "submitted" / attack.student / ASSIGNMENT
        folder.mkdir(parents=True)
        attack.hand_in(folder)
    return {attack.student: attack for attack in found}


@pytest.fixture(scope="module")
def by_nbgrader(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The honest submissions, graded by nbgrader's own command, and those whose files are the attack."""
    root = tmp_path_factory.mktemp("by_nbgrader") / "course"
    course(root)
    strange = [a for a in attacks(solved(source(), ()), root, 1) if a.student in STRANGE]
    corpus = hand_in(root, strange)
    before = files(root)
    return Graded(root, run(root, "nbgrader", "autograde", ASSIGNMENT), corpus, before)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The honest submissions among all attacks."""
    root = tmp_path_factory.mktemp("attacked") / "course"
    course(root)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        port = server.getsockname()[1]
        threading.Thread(target=_tell_secret, args=(server,), daemon=True).start()
        local.bind(f"\0{SECRET}-socket-{port}")
        local.listen()
        corpus = hand_in(root, attacks(solved(source(), ()), root, port))
        before = files(root)
        # Status 1: some could not be read.
        said = run(root, "stagegrade", "autograde", ASSIGNMENT, "--jobs", "3", status=1)
    return Graded(root, said, corpus, before)


def _tell_secret(server: socket.socket) -> None:
    while True:
        try:
            line, _ = server.accept()
        except OSError:
            return
        with line:
            line.sendall(SECRET.encode())


def corpus_names() -> list[str]:
    made = attacks(solved(source(), ()), Path("/nowhere"), 1)
    return [attack.student for attack in made]


def test_there_are_enough_attacks_of_each_family() -> None:
    """A family could be emptied without a test failing."""
    names = corpus_names()
    assert len(names) == len(set(names))
    assert len(names) >= 60
    families = {name.partition("-")[0] for name in names}
    wanted = {
        "asserts",
        "probe",
        "secrets",
        "leaving",
        "resources",
        "network",
        "outputs",
        "metadata",
        "files",
    }
    assert wanted == families


@pytest.mark.parametrize("student", corpus_names())
def test_an_attack_gains_nothing(graded: Graded, student: str) -> None:
    """The points, the secrets and the attention of an instructor are what the attack is after."""
    attack = graded.corpus[student]
    record = graded.record(student)
    assert ("graded" if attack.readable else "unreadable") == record["status"]
    assert 0.0 == record["score"]
    assert [] == [row for row in record["stages"] if row["points"]]
    with Gradebook(f"sqlite:///{graded.root / 'gradebook.db'}") as gradebook:
        assert 0.0 == gradebook.find_submission(ASSIGNMENT, student).score
    cells = graded.notebook(student)["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert SECRET not in json.dumps(outputs)
    # What an attack says where it got in; a traceback may quote it.
    assert "SECRET" not in json.dumps([output for output in outputs if output["output_type"] != "error"])
    if attack.flag:
        assert [] != [flag for flag in record["flags"] if re.search(attack.flag, flag)], record["flags"]
    if "no-escapes" in attack.expect:
        assert [] == [
            text for text in texts(outputs) if re.search("\x1b(?!\\[[0-9;]*m)|[\x07\x9b\u202e]", text)
        ]
        assert [] == [text for text in texts(record) if re.search("[\x1b\x07\x9b\u202e]", text)]


def texts(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, (list, dict)):
        for item in found.values() if isinstance(found, dict) else found:
            yield from texts(item)


@pytest.mark.parametrize("student", STRANGE)
def test_nbgraders_own_command_stands_strange_files_too(
    graded: Graded, by_nbgrader: Graded, student: str
) -> None:
    """A link, a pipe or a device would be followed, or stop the class, when an instructor uses formgrader."""
    assert graded.record(student) == by_nbgrader.record(student)


@pytest.mark.parametrize("student", HONEST)
def test_the_neighbours_grades_are_what_they_are_alone(
    graded: Graded, by_nbgrader: Graded, student: str
) -> None:
    """One submission could change what another is given."""
    alone, among = by_nbgrader.record(student), graded.record(student)
    assert POINTS[student] == alone["score"]
    assert alone == among
    assert by_nbgrader.notebook(student)["cells"] == graded.notebook(student)["cells"]


def test_nothing_is_left(graded: Graded, by_nbgrader: Graded) -> None:
    """A file or a process that outlives its submission can reach the next one, or the instructor."""
    assert set() == files(graded.root) ^ graded.before
    assert set() == files(by_nbgrader.root) ^ by_nbgrader.before
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes())
        except OSError:
            continue
    assert [] == [line for line in lines if line.startswith(b"sleep\x0031337")]


def test_what_students_wrote_does_not_act_in_feedback(graded: Graded) -> None:
    """A script of one student's would run on the instructor's page, or on another student's."""
    # Those whose names begin so are after whoever reads a page: files, metadata, outputs.
    run(graded.root, "nbgrader", "generate_feedback", ASSIGNMENT, "--student", "[fmo]*")
    pages = sorted((graded.root / "feedback").glob(f"*/{ASSIGNMENT}/*.html"))
    assert len(pages) == sum(a.family in ("files", "metadata", "outputs") for a in graded.corpus.values())
    for page in pages:
        assert page.stat().st_size < 40 << 20, page
        assert [] == acting_in(page.read_text(encoding="utf-8")), page
