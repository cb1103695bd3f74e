"""Finds what a release should have taken out: solutions, hidden tests, outputs."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stagegrade.autograde._source import grade_id

BEGIN = re.compile(r"###\s*BEGIN (SOLUTION|HIDDEN TESTS)")
END = re.compile(r"###\s*END (SOLUTION|HIDDEN TESTS)")
MARKS = re.compile(r"###\s*(?:BEGIN|END) (?:SOLUTION|HIDDEN TESTS|MARK SCHEME)|\bstageprobe\b")

SPAN = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, kw_only=True)
class Leak:
    cell: str
    what: str
    mend: str
    meant: bool = False
    """Whether the cell is the author's own text, neither to be solved nor a test: it may be there on purpose."""


def leaks(source: Mapping[str, Any], release: Mapping[str, Any]) -> Iterator[Leak]:
    """What stands in ``release`` and should not, both of them notebooks as JSON."""
    hidden = {line: name for cell in source["cells"] for name, line in _hidden_lines(cell)}
    given = {line for cell in release["cells"] if _is_given(cell) for line in _lines(cell)}
    for number, cell in enumerate(release["cells"], start=1):
        name = grade_id(cell) or f"cell {number}"
        text = _text(cell)
        mark = MARKS.search(text)
        if mark:
            mend = (
                "Let each region begin and end with its own line, as ### BEGIN SOLUTION and ### END SOLUTION."
            )
            yield Leak(cell=name, what=f"it still says {mark.group()!r}", mend=mend)
        if cell.get("outputs"):
            mend = "nbgrader's ClearOutput takes outputs out; the configuration must not leave it out."
            yield Leak(cell=name, what="it has outputs of the instructor's run", mend=mend)
        for line in dict.fromkeys(_lines(cell)):
            if line in hidden and (cell["cell_type"] == "code" or line not in given):
                mend = "Move the line into the region, or write what needs it in another way."
                what = f"`{line}` is a line of the hidden part of {hidden[line]}"
                yield Leak(cell=name, what=what, mend=mend, meant=_is_given(cell))


def _hidden_lines(cell: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The lines of a source cell that its release must not show, each long enough to give something away."""
    if cell["cell_type"] != "code":
        return
    metadata = cell["metadata"].get("nbgrader", {})
    lines = _text(cell).splitlines()
    # Without regions nbgrader replaces a solution cell as a whole.
    whole = bool(metadata.get("solution")) and not any(map(BEGIN.search, lines))
    inside = whole
    for line in lines:
        if BEGIN.search(line):
            inside = True
        elif END.search(line):
            inside = False
        elif inside and _computes(_bare(line)):
            yield grade_id(cell), _bare(line)


def _is_given(cell: Mapping[str, Any]) -> bool:
    """Whether it is code that students are given, to run or to read, such as a snippet to find a mistake in."""
    metadata = cell["metadata"].get("nbgrader", {})
    return cell["cell_type"] == "code" and not metadata.get("solution") and not metadata.get("grade")


def _computes(line: str) -> bool:
    """Whether a line of code gives something away: it calls, indexes or calculates, rather than only names."""
    if line == "super().__init__()":
        return False
    try:
        nodes = list(ast.walk(ast.parse(line)))
    except SyntaxError:
        # A line of a longer statement.
        return len(line) > 20
    return any(isinstance(node, (ast.Call, ast.BinOp, ast.Subscript)) for node in nodes)


def _bare(line: str) -> str:
    return line.partition("  #")[0].strip()


def _lines(cell: Mapping[str, Any]) -> Iterator[str]:
    """What in a released cell may be a line of code: its lines, those in comments too; in text also `spans`."""
    text = _text(cell)
    marks = "# " if cell["cell_type"] == "code" else "#>*-` \t"
    for line in text.splitlines():
        yield _bare(line.strip().lstrip(marks)).rstrip("`")
    if cell["cell_type"] != "code":
        yield from map(_bare, SPAN.findall(text))


def _text(cell: Mapping[str, Any]) -> str:
    source: str | Sequence[str] = cell["source"]
    return source if isinstance(source, str) else "".join(source)
