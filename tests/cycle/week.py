"""A week of a small course, driven by the real commands: written once, and looked at by many tests."""

import shutil
import zipfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from nbgrader.api import Gradebook

from tests import notebooks
from tests.commands import environment, run
from tests.cycle.plain import PLAIN, PLAIN_STUDENTS

STAGED = "query_key_value"
DUE = datetime.now(UTC) + timedelta(days=1)
LATE = DUE + timedelta(hours=3)

# What the course's own configuration says besides the two lines that set stagegrade up.
_OPTIONS = """
c.Exchange.root = {exchange!r}
c.Exchange.cache = {cache!r}
c.LateSubmissionPlugin.penalty_method = "zero"
c.FileNameCollectorPlugin.named_regexp = (
    r".+/(?P<student_id>[a-z-]+)_(?P<timestamp>[0-9T]+)_(?P<file_id>.+)\\.ipynb"
)
"""


@dataclass
class Week:
    """Folders: the instructor's course, two copies of it taken before grading, and a student's own."""

    root: Path
    said: dict[str, CompletedProcess[str]] = field(default_factory=dict)
    """What each command said, by a name for it."""

    @property
    def course(self) -> Path:
        return self.root / "attention"

    @property
    def copy(self) -> Path:
        """Graded by ``stagegrade autograde`` where ``course`` is graded by ``nbgrader autograde``."""
        return self.root / "copy" / "attention"

    @property
    def stock(self) -> Path:
        """The same course without stagegrade's two lines."""
        return self.root / "stock" / "attention"

    @property
    def home(self) -> Path:
        return self.root / "home"

    def run(self, name: str, *command: str | Path, cwd: Path | None = None, status: int | None = 0) -> None:
        self.said[name] = run(*command, cwd=cwd or self.course, env=environment(self.home), status=status)


def live_through(root: Path) -> Week:
    """From ``stagegrade new`` to feedback in the student's folder."""
    week = Week(root)
    week.run("new", "stagegrade", "new", week.course, cwd=root)
    _configure(week)
    notebooks.write(week.course / "source/plain/plain.ipynb", PLAIN)
    for assignment in (STAGED, "plain"):
        week.run(f"generate {assignment}", "nbgrader", "generate_assignment", assignment)
    _set_due(week.course)
    week.run("validate source", "nbgrader", "validate", f"source/{STAGED}/{STAGED}.ipynb")
    week.run("release", "nbgrader", "release_assignment", STAGED)

    own = _students_folder(week)
    week.run("fetch", "nbgrader", "fetch_assignment", STAGED, cwd=own)
    handed = own / STAGED / f"{STAGED}.ipynb"
    for student in ("right", "keys-two"):
        notebooks.write(handed, _handed_in(week, student))
        week.run(f"submit {student}", "nbgrader", "submit", STAGED, f"--student={student}", cwd=own)
    week.run("validate keys-two", "nbgrader", "validate", handed, cwd=own)
    week.run("collect", "nbgrader", "collect", STAGED)
    _zip(week, "late")
    week.run("zip_collect", "nbgrader", "zip_collect", STAGED, "--force")
    for student in ("prints", "warns"):
        notebooks.write(
            week.course / f"submitted/{student}/{STAGED}/{STAGED}.ipynb", _handed_in(week, student)
        )
    for student, cells in PLAIN_STUDENTS.items():
        made = notebooks.filled(week.course / "release/plain/plain.ipynb", cells)
        notebooks.write(week.course / f"submitted/{student}/plain/plain.ipynb", made)

    for copy in (week.copy, week.stock):
        shutil.copytree(week.course, copy)
    config = week.stock / "nbgrader_config.py"
    config.write_text(config.read_text().replace("configure(c)\n", ""))

    week.run("autograde", "nbgrader", "autograde", STAGED)
    week.run("stagegrade autograde", "stagegrade", "autograde", STAGED, cwd=week.copy)
    for course in (week.course, week.stock):
        week.run("autograde plain", "nbgrader", "autograde", "plain", cwd=course)
        review(course)
        week.run(
            "autograde plain again",
            "nbgrader",
            "autograde",
            "plain",
            "--student=plain-right",
            "--force",
            cwd=course,
        )
    week.run("autograde again", "nbgrader", "autograde", STAGED, "--student=keys-two", "--force")

    week.run("generate_feedback", "nbgrader", "generate_feedback", STAGED)
    week.run("release_feedback", "nbgrader", "release_feedback", STAGED, "--student=keys-two")
    week.run("fetch_feedback", "nbgrader", "fetch_feedback", STAGED, cwd=own)
    week.run("export", "nbgrader", "export")
    return week


def review(course: Path) -> None:
    """An instructor gives points and comments by hand, where there is such a cell."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        for assignment, cell, student, points in BY_HAND:
            if not any(s.student_id == student for s in gradebook.assignment_submissions(assignment)):
                continue
            grade = gradebook.find_grade(cell, assignment, assignment, student)
            grade.manual_score = points  # type: ignore[assignment]
            grade.needs_manual_grade = False  # type: ignore[assignment]
            comment = gradebook.find_comment(
                cell.replace("test-", "solution-"), assignment, assignment, student
            )
            comment.manual_comment = f"{points} by hand"  # type: ignore[assignment]
            gradebook.db.commit()


# Assignment, cell, student, points.
BY_HAND: tuple[tuple[str, str, str, float], ...] = (
    (STAGED, "test-key_index", "keys-two", 0.5),
    ("plain", "essay", "plain-right", 1.5),
    ("plain", "solution-by-hand", "plain-right", 1.0),
)


def _configure(week: Week) -> None:
    options = {"exchange": str(week.root / "exchange"), "cache": str(week.root / "cache")}
    (week.root / "exchange").mkdir(mode=0o777)
    (week.root / "exchange").chmod(0o777)
    with (week.course / "nbgrader_config.py").open("a") as config:
        config.write(_OPTIONS.format(**options))


def _students_folder(week: Week) -> Path:
    """A student's own folder: the course's name and exchange, and nothing of stagegrade."""
    own = week.root / "student"
    own.mkdir()
    lines = ["c = get_config()", "c.CourseDirectory.course_id = 'attention'"]
    lines += [
        f"c.Exchange.root = {str(week.root / 'exchange')!r}",
        f"c.Exchange.cache = {str(week.root / 'cache')!r}",
    ]
    (own / "nbgrader_config.py").write_text("\n".join(lines) + "\n")
    return own


def _set_due(course: Path) -> None:
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        gradebook.find_assignment(STAGED).duedate = DUE.replace(tzinfo=None)  # type: ignore[assignment]
        gradebook.db.commit()


def _zip(week: Week, student: str) -> None:
    """What an LMS gives to download: one archive of everybody's notebooks, named by student and time."""
    notebook = notebooks.write(week.root / "downloads/handed.ipynb", _handed_in(week, student))
    archive = week.course / f"downloaded/{STAGED}/archive/all.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as made:
        made.write(notebook, f"{student}_{LATE:%Y%m%dT%H%M%S}_{STAGED}.ipynb")


def _handed_in(week: Week, student: str) -> dict[str, Any]:
    right = notebooks.solutions(week.course / f"source/{STAGED}/{STAGED}.ipynb")
    release = week.course / f"release/{STAGED}/{STAGED}.ipynb"
    made = notebooks.filled(release, right | _CHANGED.get(student, {}))
    if student == "prints":
        _pretend(made)
    return made


_CHANGED: dict[str, dict[str, str]] = {
    "keys-two": {"solution-key_index": "def second_score(query, keys):\n    return query @ keys[2]\n"},
    # Right, but it warns on stderr, which by nbgrader's own rule would be no points.
    "warns": {
        "solution-softmax": "import warnings\n\n\ndef attention_weights(scaled):\n"
        "    warnings.warn('softmax is called')\n    return torch.softmax(scaled, dim=-1)\n"
    },
    # Wrong in one stage, and full of numbers that look like points.
    "prints": {
        "solution-scaling": "def scale(scores, keys):\n    print(2.0)\n    print('2 of 2 points')\n"
        "    return scores / keys.shape[-1]\n\n\n2.0"
    },
}


def _pretend(made: dict[str, Any]) -> None:
    """Adds what a cell's score could be read from, were it read from the notebook: outputs, tags, points."""
    for cell in made["cells"]:
        if notebooks.grade_id(cell) == "test-scaling":
            shown = {"data": {"text/plain": "2.0"}, "metadata": {}, "execution_count": 1}
            cell["outputs"] = [{"output_type": "execute_result", **shown}]
            cell["metadata"]["tags"] = ["skip-execution", "raises-exception"]
            cell["metadata"]["nbgrader"]["points"] = 100
            cell["metadata"]["stagegrade"] = {"score": 2.0}
    made["metadata"]["stagegrade"] = {"status": "graded", "score": 12.0, "flags": []}
    made["cells"].append(notebooks.code_cell("12.0", "own-number"))
