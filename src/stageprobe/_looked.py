"""Has IPython look at a cell once, where it and a kernel look at it time and again before it runs.

A kernel transforms a cell to see whether it awaits anything, and compiles it for that; then the shell does both once
more. To transform it is to take it apart into lines and tokens, whether or not there is anything to be transformed.
"""

import ast
import inspect
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_ASSIGNED_ESCAPE = re.compile(r"=[\s\\]*[%!]")


@dataclass
class _Compiled:
    text: str
    awaits: bool
    valid: bool
    warned: bool
    asked: bool = False


class Looked:
    """Put in the place of what ``shell`` looks at cells by; gives the same answers, and shows the same warnings."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._manager = shell.input_transformer_manager
        self._transformers = [list(listed) for listed in self._listed()]
        self._as_python: Callable[[str], str] = self._manager.transform_cell
        self._transform: Callable[[str], str] = shell.transform_cell
        self._awaits: Callable[..., bool] = shell.should_run_async
        self._manager.transform_cell = self._as_python_once
        shell.transform_cell = self._transformed_once
        shell.should_run_async = self._awaits_once
        self._looking = False
        self._compiled: _Compiled | None = None
        self._transformed: tuple[str, str] | None = None

    def transformed(self, code: str) -> str:
        """The cell transformed, as the shell will be told too. Raises what a transformer raises."""
        self._looking = True
        try:
            transformed: str = self._shell.transform_cell(code)
        finally:
            self._looking = False
        self._transformed = code, transformed
        return transformed

    def awaits(self, code: str, transformed: str, failed: Any) -> bool:
        """Whether it needs a loop to run in; ``failed`` is what a transformer raised, if any did."""
        found: bool = self._shell.should_run_async(
            code, transformed_cell=transformed, preprocessing_exc_tuple=failed
        )
        if found:
            self._transformed = None
        return found

    def _listed(self) -> tuple[list[Any], list[Any], list[Any]]:
        manager = self._manager
        return manager.cleanup_transforms, manager.line_transforms, manager.token_transformers

    def _transformed_once(self, code: str) -> str:
        known, self._transformed = self._transformed, None
        return known[1] if known is not None and known[0] == code else self._transform(code)

    def _as_python_once(self, cell: str) -> str:
        # A magic that has a part of a cell transformed compiles it itself, if at all.
        looking, self._looking, self._compiled = self._looking, False, None
        unchanged = self._transformers == [*self._listed()]
        if looking and unchanged and self._shell.autoawait and not may_change(cell):
            text = cell if cell.endswith("\n") else f"{cell}\n"
            self._compiled = _compiled(text)
            if self._compiled.valid:
                return text
        return self._as_python(cell)

    def _awaits_once(
        self, code: str, *, transformed_cell: Any = None, preprocessing_exc_tuple: Any = None
    ) -> bool:
        known = self._compiled
        if (
            known is None
            or not self._shell.autoawait
            or preprocessing_exc_tuple is not None
            or known.text != transformed_cell
            # What the compiler warns of is shown as often as it is asked.
            or (known.asked and known.warned)
        ):
            try:
                return self._awaits(
                    code, transformed_cell=transformed_cell, preprocessing_exc_tuple=preprocessing_exc_tuple
                )
            except RecursionError:
                # Of a cell that nests too deep. It is the cell's error when it is run, and no end of the session.
                return False
        known.asked = True
        return known.awaits


def may_change(cell: str) -> bool:
    """Whether IPython may make another text of a cell that is Python.

    By an escape or a prompt, an indent of the whole, a line of nothing but blanks, or one that is only continued; and
    of lines that end in some other way it has a word to say.
    """
    lines = cell.splitlines()
    bodies = [line.strip() for line in lines]
    if (
        not lines
        or not lines[0]
        or lines[0][0].isspace()
        or len(lines) != len(cell.removesuffix("\n").split("\n"))
    ):
        return True
    for line, body in zip(lines, bodies, strict=True):
        if not body:
            if line:
                return True
        elif body[0] in "%!?,;/\\>." or body[-1] == "?" or body.startswith("In ["):
            return True
    return bool(_ASSIGNED_ESCAPE.search(cell))


def _compiled(text: str) -> _Compiled:
    """Compiled as IPython does to see whether it awaits anything."""
    found = _Compiled(text, awaits=False, valid=True, warned=False)
    show = warnings.showwarning

    def note(*warning: Any, **more: Any) -> None:
        found.warned = True
        show(*warning, **more)

    warnings.showwarning = note
    try:
        code = compile(text, "<>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        found.awaits = bool(code.co_flags & inspect.CO_COROUTINE)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        found.valid = False
    finally:
        warnings.showwarning = show
    return found
