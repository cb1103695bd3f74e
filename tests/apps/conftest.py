"""A small graded course, and ``stagegrade`` called as its console script calls it."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from traitlets.config import SingletonConfigurable

from stagegrade.apps import main
from stagegrade.apps._app import StageApp
from tests import notebooks
from tests.commands import environment, run

STAGED = "query_key_value"
KEYS_TWO = {"solution-key_index": "def second_score(query, keys):\n    return query @ keys[2]\n"}


@dataclass(frozen=True)
class Said:
    status: int
    out: str
    err: str


Call = Callable[..., Said]


@pytest.fixture
def call(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Call:
    """``call("diagnose", path, cwd=folder)`` in this process: the same as a command, and quicker."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("JUPYTER_NO_CONFIG", "1")

    def called(*words: str | Path, cwd: Path) -> Said:
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["stagegrade", *map(str, words)])
        capsys.readouterr()
        status: object = 0
        try:
            main()
        except SystemExit as end:
            status = end.code
        finally:
            _forget(StageApp)
        heard = capsys.readouterr()
        assert isinstance(status, int), status
        return Said(status, heard.out, heard.err)

    return called


def _forget(kind: type[SingletonConfigurable]) -> None:
    """An application is there once in a process; the next command is another."""
    made: SingletonConfigurable | None = getattr(kind, "_instance", None)
    if made is not None:
        type(made).clear_instance()


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new course with ``query_key_value`` graded for `right` and `keys-two`, and handed in by `waiting`."""
    root = tmp_path_factory.mktemp("apps") / "attention"
    env = environment(root.parent / "home")
    run("stagegrade", "new", root, cwd=root.parent, env=env)
    run("nbgrader", "generate_assignment", STAGED, cwd=root, env=env)
    right = notebooks.solutions(root / f"source/{STAGED}/{STAGED}.ipynb")
    for student, changes in {"right": {}, "keys-two": KEYS_TWO}.items():
        hand_in(root, student, right | changes)
    run("stagegrade", "autograde", STAGED, cwd=root, env=env)
    hand_in(root, "waiting", right)
    return root


def hand_in(root: Path, student: str, cells: dict[str, str]) -> Path:
    made = notebooks.filled(root / f"release/{STAGED}/{STAGED}.ipynb", cells)
    return notebooks.write(root / f"submitted/{student}/{STAGED}/{STAGED}.ipynb", made)


def submitted(root: Path, student: str) -> Path:
    return root / f"submitted/{student}/{STAGED}/{STAGED}.ipynb"
