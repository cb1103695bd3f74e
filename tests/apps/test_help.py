"""Each command says what it is for, and shows how it is called."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stagegrade import __version__
from stagegrade.apps._main import StageGradeApp
from tests.apps.conftest import STAGED, Call


@pytest.mark.parametrize(
    "command", [[], *([name] for name in StageGradeApp.subcommands)], ids=lambda c: c or "main"
)
def test_help_shows_an_example(call: Call, tmp_path: Path, command: list[str]) -> None:
    """A person would have to guess how a command is called."""
    said = call(*command, "--help", cwd=tmp_path)
    assert (0, "") == (said.status, said.err)
    examples = said.out.partition("Examples\n")[2]
    shown, statuses, rest = examples.partition("Exit status: 0 done; ")
    assert " ".join(["stagegrade", *command]) in shown
    assert statuses
    assert "2 wrong use" in rest.partition("\n\n")[0]


def test_every_command_is_listed_with_its_purpose(call: Call, tmp_path: Path) -> None:
    """A command that nobody hears of is not there."""
    said = call("--help", cwd=tmp_path)
    for name, (_, purpose) in StageGradeApp.subcommands.items():
        assert f"{name}\n    {purpose}" in said.out


def test_help_all_has_the_options_of_grading(call: Call, tmp_path: Path) -> None:
    """The options that a course may set could be found in the source alone."""
    said = call("autograde", "--help-all", cwd=tmp_path)
    assert 0 == said.status
    for option in ("StageExecute.call_timeout", "Autograde.create_student", "BaseConverter.force"):
        assert option in said.out


def test_the_version_is_the_packages(call: Call, tmp_path: Path) -> None:
    """A report of a fault would name another version than the one that has it."""
    said = call("--version", cwd=tmp_path)
    assert (0, f"{__version__}\n") == (said.status, said.out)


def test_course_dir_is_as_good_as_going_there(call: Call, course: Path, tmp_path: Path) -> None:
    """nbgrader's own option would not work with these commands."""
    there = call("explain", STAGED, "keys-two", cwd=course)
    assert there == call("explain", STAGED, "keys-two", f"--course-dir={course}", cwd=tmp_path)
    assert 0 == there.status


def test_a_notebook_and_a_machine_are_tried_with_a_course_that_is_elsewhere(
    call: Call, course: Path, tmp_path: Path
) -> None:
    """The two commands that need no course would know nothing of the one that they were told of."""
    own = tmp_path / "attention"
    shutil.copytree(course, own)
    (own / "source" / STAGED).rename(own / "source" / "week_2")
    (own / f"source/week_2/{STAGED}.ipynb").rename(own / "source/week_2/week_2.ipynb")
    handed_in = shutil.copy(own / f"submitted/keys-two/{STAGED}/{STAGED}.ipynb", tmp_path / "week_2.ipynb")
    said = call("diagnose", handed_in, f"--course-dir={own}", cwd=tmp_path)
    assert said.out.startswith("week_2, week_2.ipynb: 11 of 12"), said
    assert f"✓ course: {own}" in call("doctor", f"--course-dir={own}", cwd=tmp_path).out
    none = call("doctor", f"--course-dir={own / 'source'}", cwd=own)
    assert (1, True) == (none.status, f"there is no nbgrader_config.py in {own / 'source'}" in none.out)


def test_no_command_waits_for_a_grammar_that_it_never_uses():
    """Every command would take a second longer to answer."""
    code = "import sys, stagegrade.apps; print([n for n in ('rfc3987_syntax', 'jsonschema') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "['jsonschema']" == done.stdout.strip()
