"""What a shell may complete an operand to: the course's assignments, its students, or files."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from argcomplete.completers import DirectoriesCompleter, FilesCompleter

from stagegrade.autograde import course_around

_Completer = Callable[[str, Sequence[str]], Sequence[str]]


def completer(operands: str) -> Callable[..., Sequence[str]]:
    """For argcomplete: completes the operand that is being typed, as ``operands`` names it."""
    names = [name.strip("[]") for name in operands.split()]

    def complete(prefix: str, parsed_args: Any, **_: Any) -> Sequence[str]:
        given = list(getattr(parsed_args, "extra_args", None) or [])
        name = names[len(given)] if len(given) < len(names) else ""
        known = _COMPLETERS.get(name)
        return known(prefix, given) if known else ()

    return complete


def _assignments(prefix: str, given: Sequence[str]) -> list[str]:
    return _folders("source", prefix)


def _students(prefix: str, given: Sequence[str]) -> list[str]:
    return _folders("submitted", prefix)


def _folders(step: str, prefix: str) -> list[str]:
    root = course_around(Path.cwd())
    if root is None or not (root / step).is_dir():
        return []
    names = (path.name for path in (root / step).iterdir() if path.is_dir())
    return sorted(name for name in names if name.startswith(prefix) and not name.startswith("."))


def _notebooks(prefix: str, given: Sequence[str]) -> list[str]:
    return list(FilesCompleter(allowednames=[".ipynb"])(prefix))


def _directories(prefix: str, given: Sequence[str]) -> list[str]:
    return list(DirectoriesCompleter()(prefix))


def _shells(prefix: str, given: Sequence[str]) -> list[str]:
    return [shell for shell in SHELLS if shell.startswith(prefix)]


SHELLS = ("bash", "zsh", "fish")
_COMPLETERS: Mapping[str, _Completer] = {
    "ASSIGNMENT": _assignments,
    "STUDENT": _students,
    "NOTEBOOK": _notebooks,
    "DIR": _directories,
    "SHELL": _shells,
}
