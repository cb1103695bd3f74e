"""Calls what the student wrote, once a question, and says what came of it."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import torch
from IPython.core.getipython import get_ipython
from torch import Tensor

MAX_MESSAGE = 500


@dataclass(frozen=True)
class Returned:
    value: object
    changed: tuple[str, ...] = ()
    """Arguments that the call changed in place."""
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Raised:
    error: str
    message: str
    cell: str
    """The cell whose code raised, as IPython names it (``In[3]``), and the line in it; empty where unknown."""
    line: int | None
    source: str
    out_of_memory: bool = False


class Interrupted(BaseException):
    """The judge's deadline passed while the student's code ran; ``seen`` is what a watched call had made till then."""

    seen: Mapping[str, object] | None = None


def call(function: Callable[..., object], arguments: Mapping[str, Any]) -> Returned | Raised:
    """Call ``function`` with the values of ``arguments`` in order, each a copy of its own."""
    copies = {name: _copy(value) for name, value in arguments.items()}
    return attempt(lambda: function(*copies.values()), arguments, copies)


def attempt(
    run: Callable[[], object],
    arguments: Mapping[str, Any] | None = None,
    copies: Mapping[str, Any] | None = None,
) -> Returned | Raised:
    """What ``run`` returns or raises, and which of ``copies`` no longer equal their ``arguments``."""
    try:
        value = run()
    except (Interrupted, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - a student's code may raise SystemExit, or one of its own
        return raised(error)
    changed = tuple(
        name for name, value in (arguments or {}).items() if copies and not _same(value, copies[name])
    )
    return Returned(value, changed)


def cell_of(handed: object) -> str:
    """Which cell holds the code of a function or a class, as IPython shows it; "" where none does."""
    inner = type.__dict__["__dict__"].__get__(handed).values() if isinstance(handed, type) else (handed,)
    # Only of plain functions: what else was handed over may do anything when it is looked at.
    names = (_cell_name(f.__code__.co_filename) for f in inner if type(f) is FunctionType)
    return next((name for name in names if name), "")


def raised(error: BaseException) -> Raised:
    """What there is to tell of ``error``, and where in the notebook it came from."""
    cell, line, source = "", None, ""
    for frame in traceback.extract_tb(error.__traceback__):
        name = _cell_name(frame.filename)
        if name:
            cell, line, source = name, frame.lineno, frame.line or ""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - a student's exception class may do anything
        message = "(its message could not be made)"
    return Raised(
        error=type(error).__name__[:MAX_MESSAGE],
        message=message[:MAX_MESSAGE],
        cell=cell,
        line=line,
        source=source[:MAX_MESSAGE],
        out_of_memory=isinstance(error, MemoryError) or "can't allocate memory" in message,
    )


def _cell_name(filename: str) -> str:
    """Which cell a compiled file name stands for, as IPython shows it, such as ``In[3]``; "" for any other file."""
    shell = get_ipython()
    if shell is None:
        return ""
    named = shell.compile.format_code_name(filename)
    return str(named[1]) if named else ""


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def _same(given: Any, after: Any) -> bool:
    if not isinstance(given, Tensor):
        return True
    if (given.shape, given.dtype, given.layout) != (after.shape, after.dtype, after.layout):
        return False
    return torch.equal(given, after) or torch.equal(given.nan_to_num(), after.detach().nan_to_num())
