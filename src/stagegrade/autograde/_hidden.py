"""Takes hidden tests out of a copy that goes to students."""

import re
from functools import cached_property
from typing import Any

from nbconvert.filters.ansi import strip_ansi
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests, NbGraderPreprocessor

INSTEAD = "# (hidden tests)"
BEGIN_HIDDEN = str(ClearHiddenTests.begin_test_delimeter.default_value)
END_HIDDEN = str(ClearHiddenTests.end_test_delimeter.default_value)
_NUMBERED = re.compile(r"^(?:-+>)?\s*\d+:?\s?")


class HideTests(NbGraderPreprocessor):
    """Replaces each hidden region by a line that says so, in the sources and wherever a traceback quotes it.

    The delimiters are those of nbgrader's ``ClearHiddenTests``.
    """

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        hidden: set[str] = set()
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.source, found = without_hidden(cell.source, *self._delimiters)
                hidden |= found
        # A hidden test may fail inside a function of the student's, or be quoted by a later cell.
        for cell in nb.cells:
            for output in cell.get("outputs", ()):
                if output.output_type == "error" and hidden:
                    output.traceback = [_redacted(text, hidden) for text in output.traceback]
        return nb, resources

    @cached_property
    def _delimiters(self) -> tuple[str, str]:
        as_configured = ClearHiddenTests(parent=self)
        return as_configured.begin_test_delimeter, as_configured.end_test_delimeter


def without_hidden(
    source: str, begin: str = BEGIN_HIDDEN, end: str = END_HIDDEN, instead: str | None = INSTEAD
) -> tuple[str, set[str]]:
    """``source`` with ``instead`` in place of each hidden region, and the lines that were in them."""
    kept: list[str] = []
    hidden: set[str] = set()
    inside = False
    for line in source.split("\n"):
        if begin in line:
            inside = True
            kept += [] if instead is None else [instead]
        elif end in line and inside:
            inside = False
        elif inside:
            hidden.add(line.strip())
        else:
            kept.append(line)
    return "\n".join(kept), hidden - {""}


def _redacted(text: str, hidden: set[str]) -> str:
    return "\n".join(INSTEAD if _quotes(line, hidden) else line for line in text.split("\n"))


def _quotes(line: str, hidden: set[str]) -> bool:
    plain = strip_ansi(line).strip()
    return plain in hidden or _NUMBERED.sub("", plain).strip() in hidden
