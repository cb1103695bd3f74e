"""What `make` does where README.md and the maintainers' page name it, in a copy of the project."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands import BIN, environment, run
from tests.documents import DOCUMENTS, ROOT, commands, mentioned, reason_against, to_run, to_run_of_text
from tools import demo

pytestmark = pytest.mark.timeout(300)

PAGE = "docs/maintainers.md"
RUN_HERE = {"demo", "mistakes"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make` needs; of the sample cohort those whom the demonstration names."""
    root = tmp_path_factory.mktemp("make") / "project"
    root.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root)
    for name in ("docs", "source", "tools"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "img"))
    for assignment, student in demo.SHOWN.items():
        shutil.copytree(
            ROOT / f"submitted/{student}/{assignment}", root / f"submitted/{student}/{assignment}"
        )
    return root


def make(project: Path, *words: str, home: Path) -> str:
    """With the environment that runs these tests in place of one that `make` would install."""
    there = (f"BIN={BIN}", "--assume-old=.venv/.made", "--no-print-directory")
    return run("make", *there, *words, cwd=project, env=environment(home)).stdout


def test_the_targets_that_are_named_are_there(project: Path, tmp_path: Path) -> None:
    """Somebody would be sent to a target that is gone, or a new one would be run by nobody."""
    named = {
        words[1] for page in DOCUMENTS for words in [*commands(page), *mentioned(page)] if words[0] == "make"
    }
    assert {"demo", "test"} <= named
    assert RUN_HERE == {name for name in named if reason_against(["make", name]) is None}
    told = make(project, home=tmp_path)
    for target in named:
        assert f"make {target} " in told
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)


def test_the_maintainers_page_shows_nothing_else_to_run() -> None:
    """A command would be shown there that no test has ever tried."""
    assert [] == [words for words in to_run(PAGE) if words[0] != "make" or not RUN_HERE.issuperset(words[1:])]
    assert [] == to_run_of_text(PAGE)


def test_the_demonstration_ends_with_pages_to_open(project: Path, tmp_path: Path) -> None:
    """The first command that anybody tries would fail, or end with the paths of nothing."""
    said = make(project, "demo", home=tmp_path)
    pages = [line.split()[-1] for line in said.splitlines() if line.endswith(".html")]
    assert 2 * len(demo.SHOWN) == len(pages)
    assert [] == [page for page in pages if not (project / page).is_file()]
    assert "keys-two" in said
    assert "third-key" in said


def test_the_catalogue_is_written_again(project: Path, tmp_path: Path) -> None:
    """`make mistakes` would write something else than what is committed, or write it somewhere else."""
    page = project / "docs/mistakes.md"
    page.unlink()
    make(project, "mistakes", home=tmp_path)
    assert (ROOT / "docs/mistakes.md").read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
