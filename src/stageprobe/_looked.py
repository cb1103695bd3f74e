"""Has IPython look at a cell once, where it and a kernel look at it time and again before it runs.

A kernel transforms a cell to see whether it awaits anything, and compiles it for that; then the shell does both once
more. To transform it is to take it apart into lines and tokens, whether or not there is anything to be transformed.
"""

import ast
import inspect
import re
import warnings
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
        self._as_python, self._manager.transform_cell = self._manager.transform_cell, self._as_python_once
        self._transform, shell.transform_cell = shell.transform_cell, self._transformed_once
        self._awaits, shell.should_run_async = shell.should_run_async, self._awaits_once
        self._compiled: _Compiled | None = None
        self._transformed: tuple[str, str] | None = None

    def transformed(self, code: str) -> str:
        """The cell transformed, as the shell will be told too. Raises what a transformer raises."""
        transformed: str = self._shell.transform_cell(code)
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
        if known is not None and known[0] == code:
            return known[1]
        transformed: str = self._transform(code)
        return transformed

    def _as_python_once(self, cell: str) -> str:
        if self._transformers == [*self._listed()] and not may_change(cell):
            text = cell if cell.endswith("\n") else f"{cell}\n"
            self._compiled = _compiled(text) if self._shell.autoawait else None
            if self._compiled is not None and self._compiled.valid:
                return text
        transformed: str = self._as_python(cell)
        return transformed

    def _awaits_once(
        self, code: str, *, transformed_cell: Any = None, preprocessing_exc_tuple: Any = None
    ) -> bool:
        known = self._compiled
        compiled = known is not None and preprocessing_exc_tuple is None and known.text == transformed_cell
        # What the compiler warns of is shown as often as it is asked.
        if compiled and known is not None and not (known.asked and known.warned):
            known.asked = True
            return known.awaits
        found: bool = self._awaits(
            code, transformed_cell=transformed_cell, preprocessing_exc_tuple=preprocessing_exc_tuple
        )
        return found


def may_change(cell: str) -> bool:
    """Whether IPython may make another text of a cell that is Python.

    By an escape or a prompt, an indent of the whole, a line of nothing but blanks, or one that is only continued.
    """
    lines = cell.splitlines()
    bodies = [line.strip() for line in lines]
    if not lines or not lines[0] or lines[0][0].isspace():
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
    show: Any = warnings._showwarnmsg  # type: ignore[attr-defined]

    def note(message: Any) -> None:
        found.warned = True
        show(message)

    warnings._showwarnmsg = note  # type: ignore[attr-defined]
    try:
        code = compile(text, "<>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        found.awaits = bool(code.co_flags & inspect.CO_COROUTINE)
    except (SyntaxError, ValueError, MemoryError):
        found.valid = False
    finally:
        warnings._showwarnmsg = show  # type: ignore[attr-defined]
    return found
