"""Generates ``release/``, ``submitted/``, ``autograded/`` and ``gradebook.db`` at the top again.

The release and the grades are made by the real commands in a folder of their own, ``build/cohort``, and then put
in place where they say something else than what is there.
"""

import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

# Run as a program it finds the other tools as the tests do.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.commands import run
from tools.gradebooks import content
from tools.samples import ROOT, assignments, submissions

# Where a machine has its libraries and its temporary files is nobody's business but its own.
_PLACES = (
    (re.compile(r"(?:/[\w.@+-]+)+/site-packages/"), "site-packages/"),
    (re.compile(r"(?:/[\w.@+-]+)+/python3\.\d+/"), "python3/"),
    (re.compile(r"(?:/[\w.@+-]+)*/ipykernel_\d+/\d+\.py"), "cell.py"),
)


def release(course: Path) -> None:
    """Make an empty folder a course like the one at the top, released to its students."""
    shutil.copy(ROOT / "nbgrader_config.py", course)
    shutil.copytree(ROOT / "source", course / "source")
    for assignment in assignments():
        if run(course, "nbgrader", "generate_assignment", assignment, "--log-level=ERROR"):
            raise SystemExit(f"source/{assignment} could not be released")


def hand_in(course: Path) -> None:
    """Collect the sample cohort's notebooks, made from the release."""
    for sample, files in submissions(course / "release"):
        folder = course / "submitted" / sample.student / sample.assignment
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)


def grade(course: Path) -> None:
    """Grade every assignment, and leave out what only the machine that graded it has to do with."""
    for assignment in assignments():
        # Some of the cohort cannot be graded whole, which is what its exit status 1 says.
        if run(course, "stagegrade", "autograde", assignment) > 1:
            raise SystemExit(f"{assignment} could not be graded")
    for notebook in course.glob("autograded/*/*/*.ipynb"):
        text = notebook.read_text(encoding="utf-8")
        for place, name in _PLACES:
            text = place.sub(name, text)
        notebook.chmod(0o644)
        notebook.write_text(text, encoding="utf-8")
    with closing(sqlite3.connect(course / "gradebook.db")) as gradebook:
        # It holds digests of this very code, and a gradebook is complete without it.
        gradebook.execute("drop table if exists stagegrade_graded_from")
        # One file, complete in itself.
        gradebook.execute("pragma journal_mode = delete")
        gradebook.execute("vacuum")


def put(made: Path, kept: Path, is_same: Callable[[Path, Path], bool]) -> list[Path]:
    """Make the folder ``kept`` what ``made`` is; returns the files that changed, those that went among them."""
    changed = []
    names = {path.relative_to(made) for path in made.rglob("*") if path.is_file()}
    for name in sorted(names):
        if not (kept / name).is_file() or not is_same(made / name, kept / name):
            (kept / name).parent.mkdir(parents=True, exist_ok=True)
            (kept / name).unlink(missing_ok=True)
            shutil.copyfile(made / name, kept / name)
            changed.append(kept / name)
    for path in sorted(kept.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(kept) not in names:
            path.unlink()
            changed.append(path)
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    return changed


def same_bytes(one: Path, other: Path) -> bool:
    return one.read_bytes() == other.read_bytes()


def main() -> None:
    course = ROOT / "build" / "cohort"
    shutil.rmtree(course, ignore_errors=True)
    course.mkdir(parents=True)
    release(course)
    hand_in(course)
    grade(course)
    changed = [
        path
        for folder in ("release", "submitted", "autograded")
        for path in put(course / folder, ROOT / folder, same_bytes)
    ]
    gradebook = ROOT / "gradebook.db"
    if not gradebook.is_file() or content(course / "gradebook.db") != content(gradebook):
        shutil.copyfile(course / "gradebook.db", gradebook)
        changed.append(gradebook)
    for path in changed:
        print(path.relative_to(ROOT))
    print(f"{len(changed)} files changed." if changed else "Nothing changed.")


if __name__ == "__main__":
    main()
