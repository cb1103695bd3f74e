"""Values as a person compares them: the student's numbers beside the expected ones, the difference marked."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

MAX_ROWS = 8
MAX_COLUMNS = 12
# As the judge compares. Written here again, so that rendering a page does not import torch.
RTOL = 1.3e-6
ATOL = 1e-5

_CUT = re.compile(r"\[(?P<head>.*), …\] of shape \((?P<shape>[\d, ]+)\)")
_NOT_FINITE = re.compile(r"(?<![\w.])(-?)(nan|inf)(?!\w)")


@dataclass(frozen=True)
class Grid:
    """A number, a vector (one row) or a matrix, as far as it is shown."""

    rows: tuple[tuple[float | int | None, ...], ...]
    """``None`` where the rest of a row is not known."""
    axes: int
    cut: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(row) for row in self.rows)


def grid_of(value: Any) -> Grid | None:
    """``value`` as a grid: numbers, nested lists of them, or text that shows such; ``None`` for anything else."""
    if isinstance(value, str):
        return _read(value)
    if _is_number(value):
        return Grid(((value,),), 0)
    if not isinstance(value, Sequence) or not value:
        return None
    if all(_is_number(x) for x in value):
        return Grid((tuple(value[:MAX_COLUMNS]),), 1, len(value) > MAX_COLUMNS)
    rows = [row for row in value if isinstance(row, Sequence) and all(_is_number(x) for x in row)]
    if len(rows) != len(value) or len({len(row) for row in rows}) != 1 or not rows[0]:
        return None
    cut = len(rows) > MAX_ROWS or len(rows[0]) > MAX_COLUMNS
    return Grid(tuple(tuple(row[:MAX_COLUMNS]) for row in rows[:MAX_ROWS]), 2, cut)


def _read(text: str) -> Grid | None:
    cut = _CUT.fullmatch(text.strip())
    plain = _NOT_FINITE.sub(
        lambda found: found[1] + {"nan": "NaN", "inf": "Infinity"}[found[2]],
        f"[{cut['head']}]" if cut else text,
    )
    try:
        value = json.loads(plain)
    except ValueError:
        return None
    if isinstance(value, str):
        return None
    if cut is None:
        return grid_of(value)
    # The head of a long tensor is flat: it is laid out again in the tensor's own rows.
    shape = [int(size) for size in cut["shape"].split(",") if size.strip()]
    width = shape[-1]
    if len(shape) != 2 or width > MAX_COLUMNS or not all(_is_number(x) for x in value):
        return Grid((tuple(value),), 1, cut=True) if all(_is_number(x) for x in value) else None
    rows = [value[at : at + width] for at in range(0, len(value), width)]
    return Grid(tuple(tuple(row + [None] * (width - len(row))) for row in rows), 2, cut=True)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def differs(expected: float | int | None, got: float | int | None) -> bool:
    """Whether two entries differ by more than the comparison allows; two that are not known do not."""
    if expected is None or got is None:
        return False
    if not (math.isfinite(expected) and math.isfinite(got)):
        return not (expected == got or (math.isnan(expected) and math.isnan(got)))
    return abs(got - expected) > ATOL + RTOL * abs(expected)


def entry(value: float | int | None) -> str:
    """A number of a grid, four decimals where it is not whole."""
    if value is None:
        return "…"
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value) or (value == int(value) and abs(value) < 1e5):
        return f"{value:g}"
    if abs(value) >= 1e5 or abs(value) < 1e-3:
        return f"{value:.3e}"
    return f"{value:.4f}"


def side_by_side(expected: Any, got: Any) -> list[str]:
    """The two in plain text, as many lines as it takes; ``*`` follows an entry that differs."""
    parts = _parts(expected, got)
    if parts:
        return [line for name, mine, theirs in parts for line in (f"{name}:", *side_by_side(mine, theirs))]
    one, other = grid_of(expected), grid_of(got)
    if one is None or other is None or (one.axes, one.shape) != (other.axes, other.shape):
        return [f"expected  {text_of(expected)}", f"yours     {text_of(got)}"]
    marks = _marks(one, other)
    left = [[entry(x) for x in row] for row in one.rows]
    right = [
        [entry(x) + ("*" if marked else "") for x, marked in zip(row, line, strict=True)]
        for row, line in zip(other.rows, marks, strict=True)
    ]
    width = max(len(cell.rstrip("*")) for row in left + right for cell in row) + 1
    if one.axes < 2:
        lines = [
            f"{name}  {_line(rows[0], width)}" for name, rows in (("expected", left), ("yours   ", right))
        ]
    else:
        broad = max(len("expected"), len(_line(left[0], width)))
        lines = [f"{'expected':{broad}}    yours"]
        lines += [
            f"{_line(mine, width):{broad}}    {_line(theirs, width)}"
            for mine, theirs in zip(left, right, strict=True)
        ]
    lines = [line.rstrip() for line in lines]
    return [*lines, *_remarks(one, marks)]


def _parts(expected: Any, got: Any) -> list[tuple[str, Any, Any]]:
    """The pairs to compare one by one, named, where the two are several values or a batch; else none."""
    if not isinstance(expected, list) or not isinstance(got, list) or len(expected) != len(got):
        return []
    if not expected or grid_of(expected) is not None or all(grid_of(item) is None for item in expected):
        return []
    return [
        (f"value {n}", mine, theirs) for n, (mine, theirs) in enumerate(zip(expected, got, strict=True), 1)
    ]


def _line(row: Sequence[str], width: int) -> str:
    return " ".join(
        f"{cell.rstrip('*').rjust(width - 1)}{'*' if cell.endswith('*') else ' '}" for cell in row
    )


def _marks(one: Grid, other: Grid) -> list[list[bool]]:
    return [
        [differs(x, y) for x, y in zip(row, line, strict=True)]
        for row, line in zip(one.rows, other.rows, strict=True)
    ]


def _remarks(one: Grid, marks: list[list[bool]]) -> list[str]:
    remarks = ["(* differs)"] if any(map(any, marks)) else []
    return [*remarks, "(only the beginning is shown)"] if one.cut else remarks


def text_of(value: Any) -> str:
    """A value in one line."""
    grid = grid_of(value)
    if grid is None and isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    if grid is None:
        # Python writes text within quotes; of a truth that is text they say nothing.
        return str(value).strip("'") if value in ("'True'", "'False'") else str(value)
    rows = ["[" + ", ".join(entry(x) for x in row) + (", …" if grid.cut else "") + "]" for row in grid.rows]
    if grid.axes == 0:
        return entry(grid.rows[0][0])
    return rows[0] if grid.axes == 1 else "[" + ", ".join(rows) + "]"


CELL = "padding:2px 8px;text-align:right;border:1px solid #8a8a8a;font-family:monospace"
HEAD = "padding:2px 8px;text-align:left;border:1px solid #8a8a8a;font-weight:bold"
TABLE = "border-collapse:collapse;margin:4px 16px 4px 0"


def tables(expected: Any, got: Any) -> str:
    """The two as HTML that reads the same without its styles."""
    parts = _parts(expected, got)
    if parts:
        return "".join(
            f'<p style="margin:4px 0 0 0">{escape(name)}:</p>{tables(mine, theirs)}'
            for name, mine, theirs in parts
        )
    one, other = grid_of(expected), grid_of(got)
    if one is None or other is None or (one.axes, one.shape) != (other.axes, other.shape):
        return _table([("expected", _plain_cell(expected)), ("yours", _plain_cell(got))])
    marks = _marks(one, other)
    if one.axes < 2:
        return _table(
            [
                ("expected", "".join(_cell(x, False) for x in one.rows[0])),
                ("yours", "".join(map(_cell, other.rows[0], marks[0]))),
            ]
        ) + _note(one)
    nothing = [[False] * len(row) for row in one.rows]
    pair = "".join(
        f'<td style="border:none;padding:0 8px 0 0;vertical-align:top">{_matrix(name, grid, marked)}</td>'
        for name, grid, marked in (("expected", one, nothing), ("yours", other, marks))
    )
    return f'<table style="border-collapse:collapse;border:none;margin:0"><tr>{pair}</tr></table>{_note(one)}'


def _table(rows: Sequence[tuple[str, str]]) -> str:
    body = "".join(f'<tr><th scope="row" style="{HEAD}">{name}</th>{cells}</tr>' for name, cells in rows)
    return f'<table style="{TABLE}">{body}</table>'


def _matrix(name: str, grid: Grid, marks: list[list[bool]]) -> str:
    body = "".join(
        f"<tr>{''.join(map(_cell, row, marked))}</tr>" for row, marked in zip(grid.rows, marks, strict=True)
    )
    return f'<strong>{name}</strong><table style="{TABLE}">{body}</table>'


def _cell(value: float | int | None, marked: bool) -> str:
    shown = entry(value)
    if marked:
        shown = f'<strong style="text-decoration:underline">≠&nbsp;{shown}</strong>'
    return f'<td style="{CELL}{";border:2px solid #d1495b" if marked else ""}">{shown}</td>'


def _plain_cell(value: Any) -> str:
    return f'<td style="{CELL};text-align:left">{escape(text_of(value))}</td>'


def _note(grid: Grid) -> str:
    return "<p style='margin:0'><small>Only the beginning is shown.</small></p>" if grid.cut else ""
