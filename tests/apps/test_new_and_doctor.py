"""A fresh course, and what a machine is told about itself."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stagegrade.jail._outer import bubblewraps
from tests import notebooks
from tests.apps.conftest import KEYS_TWO, STAGED, Call
from tests.commands import BIN, environment, run

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.timeout(300)


def test_a_new_course_has_what_is_promised(course: Path) -> None:
    """An instructor would have to copy something by hand before the first release."""
    assert {"README.md", "gradebook.db", "nbgrader_config.py", "source"} <= {p.name for p in course.iterdir()}
    ours = {p.relative_to(ROOT) for p in ROOT.glob("source/*/*.ipynb")}
    assert ours == {p.relative_to(course) for p in course.glob("source/*/*.ipynb")}


def test_a_courses_name_may_have_any_characters(call: Call, tmp_path: Path) -> None:
    """A folder's name would break the configuration that is written from it."""
    name = 'L\'été "26"'
    assert 0 == call("new", name, cwd=tmp_path).status
    said = call("explain", STAGED, "nobody", cwd=tmp_path / name)
    assert 2 == said.status
    assert "knows no assignment" in said.err


def test_doctor_finds_nothing_missing_here(call: Call, course: Path) -> None:
    """These tests would be run where grading does not work, or the doctor would alarm the healthy."""
    said = call("doctor", cwd=course)
    assert (0, "") == (said.status, said.err)
    assert f"✓ course: {course}" in said.out
    assert said.out.endswith("Nothing is missing.\n")


def test_doctor_says_how_to_mend_a_course(call: Call, tmp_path: Path) -> None:
    """An instructor with a course of their own would not learn what it lacks."""
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    said = call("doctor", cwd=tmp_path)
    assert 1 == said.status
    assert "✗ course" in said.out
    assert "configure(c)" in said.out


def test_doctor_finds_a_pipeline_that_does_not_load(call: Call, tmp_path: Path) -> None:
    """A slip in a course's pipeline would be found when a class is graded."""
    configured(tmp_path)
    (tmp_path / "pipelines").mkdir()
    (tmp_path / "pipelines/two_layer.py").write_text("import no_such_module\n")
    said = call("doctor", cwd=tmp_path)
    assert 1 == said.status
    assert "two_layer.py: ModuleNotFoundError: No module named 'no_such_module'" in said.out


def configured(root: Path, *lines: str) -> Path:
    """A course of two lines, and more of them."""
    wanted = ["from stagegrade.autograde import configure", "c = get_config()", "configure(c)", *lines]
    (root / "nbgrader_config.py").write_text("\n".join(wanted) + "\n")
    return root


def test_doctor_names_options_that_there_are_not(call: Call, tmp_path: Path) -> None:
    """A course would be graded without the bounds that its instructor set."""
    wrong = ("StageExecute.call_timeot = 3", "SubmissionLimits.cpu_seconds = 'abc'")
    said = call("doctor", cwd=configured(tmp_path, *(f"c.{line}" for line in wrong)))
    assert 1 == said.status
    assert "StageExecute has no option call_timeot; did you mean call_timeout?" in said.out
    assert "SubmissionLimits.cpu_seconds takes a float, not the str 'abc'" in said.out


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("preload.append('no_such_module')", "preload: there is no module no_such_module"),
        ("visible = ['/no-such-folder']", "visible: there is no folder /no-such-folder"),
    ],
)
def test_what_the_options_name_must_be_there(
    call: Call, course: Path, tmp_path: Path, option: str, said: str
) -> None:
    """A class would be graded without its data, or end in a traceback of which doctor finds no cause."""
    copy = shutil.copytree(course, tmp_path / "attention")
    configured(copy, f"c.StageExecute.{option}")
    for words, status in ((["doctor"], 1), (["autograde", STAGED], 2)):
        found = call(*words, cwd=copy)
        assert status == found.status
        assert f"{said} (nbgrader_config.py)" in found.out + found.err
        assert "Traceback" not in found.err


def test_doctor_names_a_module_that_cannot_be_loaded(call: Call, tmp_path: Path) -> None:
    """Grading would stop with a traceback of which doctor finds no cause."""
    said = call("doctor", cwd=configured(tmp_path, "c.StageExecute.preload = ['json.no_such_part']"))
    assert 1 == said.status
    assert "json.no_such_part cannot be loaded where submissions run: ModuleNotFoundError" in said.out


def test_a_broken_gradebook_is_named_with_what_to_do(call: Call, course: Path, tmp_path: Path) -> None:
    """An instructor would be told that nothing is missing, and grading would end without a file's name."""
    copy = shutil.copytree(course, tmp_path / "attention")
    (copy / "gradebook.db").write_text("hello\n")
    for words in (["doctor"], ["autograde", STAGED], ["report", STAGED, "--csv"]):
        said = call(*words, cwd=copy)
        assert 0 != said.status
        assert (
            f"the gradebook {copy}/gradebook.db cannot be used: file is not a database" in said.out + said.err
        )
        assert "Put a copy of it back" in said.out + said.err


def test_a_course_that_cannot_be_written_is_named_with_what_to_do(course: Path, tmp_path: Path) -> None:
    """An instructor whose disk is mounted to be read would be sent to look at --db."""
    copy = shutil.copytree(course, tmp_path / "attention")
    walls = [bubblewraps()[0], "--dev-bind", "/", "/", "--ro-bind", str(copy), str(copy), "sh", "-c"]
    both = "stagegrade doctor & stagegrade new --assignment bar & wait"
    done = run(*walls, both, cwd=copy, env=environment(tmp_path / "home"))
    said = done.stdout + done.stderr
    assert f"the gradebook {copy}/gradebook.db cannot be used: the folder {copy} cannot be written" in said
    assert f"{copy}/source/bar: Read-only file system" in said
    assert 3 == said.count("Make that folder writable")


def test_an_installed_wheel_makes_a_course_and_diagnoses(course: Path, tmp_path: Path) -> None:
    """Whoever installs the package without a checkout would have no notebooks, or no probe."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    python = _environment_of_its_own(tmp_path / "venv")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True)

    env = environment(tmp_path / "home")
    stagegrade = python.parent / "stagegrade"
    run(stagegrade, "new", "fresh", cwd=tmp_path, env=env)
    made = notebooks.filled(
        course / f"release/{STAGED}/{STAGED}.ipynb",
        notebooks.solutions(tmp_path / f"fresh/source/{STAGED}/{STAGED}.ipynb") | KEYS_TWO,
    )
    notebook = notebooks.write(tmp_path / "alone" / f"{STAGED}.ipynb", made)
    done = run(stagegrade, "diagnose", notebook, cwd=notebook.parent, env=env)
    assert "Look first at: key_index" in done.stdout
    where = run(python, "-c", "import stagegrade; print(stagegrade.__file__)", cwd=tmp_path, env=env)
    assert where.stdout.startswith(str(tmp_path / "venv"))


def _environment_of_its_own(folder: Path) -> Path:
    """A virtual environment that has what this one has, but for the package itself."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (site / "shared.pth").write_text("\n".join(shared) + "\n")
    assert (BIN / "alembic").exists(), "nbgrader's helper is where this Python is"
    return folder / "bin" / "python"
