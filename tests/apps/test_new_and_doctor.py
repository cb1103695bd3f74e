"""A fresh course, and what a machine is told about itself."""

import subprocess
import sys
from pathlib import Path

import pytest

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
    (tmp_path / "nbgrader_config.py").write_text(
        "from stagegrade.autograde import configure\n\nc = get_config()\nconfigure(c)\n"
    )
    (tmp_path / "pipelines").mkdir()
    (tmp_path / "pipelines/two_layer.py").write_text("import no_such_module\n")
    said = call("doctor", cwd=tmp_path)
    assert 1 == said.status
    assert "two_layer.py: ModuleNotFoundError: No module named 'no_such_module'" in said.out


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
