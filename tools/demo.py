"""Takes the sample cohort through nbgrader's whole cycle in a fresh directory, and shows who diverged where."""

import contextlib
import io
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

# Run as a program it finds the other tools as the tests do.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from traitlets.config import Config

from stagegrade.apps._app import console
from stagegrade.autograde import records
from stagegrade.report import LEGEND, cohort_table, sentence_of
from tools import cohort
from tools.commands import run
from tools.samples import ROOT, assignments

COURSE = ROOT / "build" / "demo"
# The class that is shown whole: everybody's feedback, so that its report leads to each.
CLASS = "query_key_value"
# Whose feedback page is named, of each assignment; of the other classes only theirs is made.
SHOWN = {
    "find_the_divergence": "query-not-mended",
    "query_key_value": "keys-two",
    "self_attention": "two-mistakes",
    "simplified_attention": "softmax-dim0",
}


def main() -> None:
    began = time.monotonic()
    talk, out = Console(stderr=True), console()
    shutil.rmtree(COURSE, ignore_errors=True)
    COURSE.mkdir(parents=True)
    with _step(talk, "nbgrader generate_assignment: source/ to release/, and into the gradebook"):
        cohort.release(COURSE)
    with _step(talk, "submitted/: what the sample cohort handed in"):
        shutil.copytree(ROOT / "submitted", COURSE / "submitted")
    for assignment in assignments():
        with _step(talk, f"stagegrade autograde {assignment}", spin=False):
            _quietly("stagegrade", "autograde", assignment, "--json")
    with _step(talk, f"nbgrader generate_feedback {CLASS}, and one student's of each other assignment"):
        for assignment, student in SHOWN.items():
            whose = [] if assignment == CLASS else [f"--student={student}"]
            _quietly("nbgrader", "generate_feedback", assignment, *whose, "--log-level=ERROR")
    with _step(talk, "stagegrade report, of each assignment"):
        for assignment in assignments():
            _quietly("stagegrade", "report", assignment)
    talk.print(f"All of it took {time.monotonic() - began:.0f} s.", style="dim")
    _show(out)


@contextlib.contextmanager
def _step(talk: Console, what: str, *, spin: bool = True) -> Iterator[None]:
    """Say what is being done, and how long it took. ``spin`` where it shows no progress of its own."""
    began = time.monotonic()
    with talk.status(what) if spin else contextlib.nullcontext():
        yield
    talk.print(f"[green]✓[/green] {what} [dim]({time.monotonic() - began:.1f} s)[/dim]", highlight=False)


def _quietly(program: str, *arguments: str) -> None:
    """Run a command whose output is shown otherwise. Some of the cohort cannot be graded whole: exit status 1."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = run(COURSE, program, *arguments)
    if status > 1:
        raise SystemExit(f"{program} {' '.join(arguments)} ended with {status}\n{said.getvalue()}")


def _show(out: Console) -> None:
    course = CourseDirectory(config=Config({"CourseDirectory": {"root": str(COURSE)}}))
    graded = {assignment: records(course, assignment) for assignment in assignments()}
    for assignment, found in graded.items():
        out.print()
        out.print(cohort_table(assignment, found))
        out.print(sentence_of(list(found.values())))
    out.print()
    out.print(LEGEND, style="dim", markup=False)
    out.print()
    folder = COURSE.relative_to(ROOT)
    student = SHOWN[CLASS]
    stage = graded[CLASS][student]["first_divergence"]
    _list(
        out,
        "Where to look next",
        {
            "how each sample is made": "tests/cohort/ASSIGNMENT/STUDENT.toml",
            "a graded notebook": f"{folder}/autograded/{student}/{CLASS}/{CLASS}.ipynb",
            "a verdict in words": f"(cd {folder} && ../../.venv/bin/stagegrade explain {CLASS} {student} {stage})",
        },
    )
    _list(
        out,
        "In a browser: what a student reads, and how the class did",
        {f"feedback, {name}": f"{folder}/feedback/{who}/{name}/{name}.html" for name, who in SHOWN.items()}
        | {f"report, {name}": f"{folder}/reports/{name}.html" for name in SHOWN},
    )


def _list(out: Console, title: str, places: dict[str, str]) -> None:
    out.print(f"[bold]{title}[/bold]")
    width = max(map(len, places)) + 1
    for what, where in places.items():
        out.print(f"  {what + ':':{width}} {where}", soft_wrap=True, highlight=False)
    out.print()


if __name__ == "__main__":
    main()
