"""What the tests of the jail share: every example run by stock nbgrader, once."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from stagegrade.autograde import warm_process
from stagegrade.jail import Jail


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], NotebookNode]]:
    """Gives an example as nbgrader's own ``Execute`` leaves it. All of them are begun at once, a kernel each."""
    folder = tmp_path_factory.mktemp("stock")
    said = folder / "said.txt"
    # As nbgrader's converter has it; and a kernel that finds itself in pytest leaves file descriptors alone.
    environment = {**os.environ, "NBGRADER_EXECUTION": "autograde"}
    environment.pop("PYTEST_CURRENT_TEST", None)
    with said.open("wb") as log:
        runner = subprocess.Popen(
            [sys.executable, "-m", "tests.jail.stock", str(folder)],
            cwd=Path(__file__).parents[2],
            env=environment,
            stdout=log,
            stderr=log,
        )

    def get(name: str) -> NotebookNode:
        path = folder / f"{name}.ipynb"
        while not path.exists():
            assert runner.poll() in (None, 0), said.read_text()[-3000:]
            time.sleep(0.05)
        return nbformat.read(path, as_version=4)  # type: ignore[no-any-return]

    yield get
    runner.terminate()
    runner.wait()


@pytest.fixture
def jail(tmp_path: Path) -> Iterator[Jail]:
    """A process of its own for one test, in an empty folder."""
    made = warm_process().fork(tmp_path, {"HOME": str(tmp_path)})
    yield made
    made.end()
