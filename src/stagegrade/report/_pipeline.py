"""The small picture of a pipeline: each stage with its mark, in order, and where it broke."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from stagegrade.report._verdicts import LOOKS, TONES, kind_of, look_of

ARROW = "→"


def strip_text(rows: Sequence[Mapping[str, Any]], here: str | None = None) -> str:
    """One line of text; the stage ``here`` stands in brackets."""
    shown = []
    for row in rows:
        one = f"{look_of(row).mark} {row['stage']}"
        shown.append(f"[{one}]" if row["stage"] == here else one)
    return f" {ARROW} ".join(shown)


def strip_html(rows: Sequence[Mapping[str, Any]], here: str | None = None) -> str:
    """The same with boxes; without its styles it reads as the line of text does."""
    shown = [_box(row, row["stage"] == here) for row in rows]
    return f" {ARROW} ".join(shown)


def _box(row: Mapping[str, Any], is_here: bool) -> str:
    look = look_of(row)
    line = "3px solid" if is_here else "1px dashed" if look.tone == "quiet" else "1px solid"
    style = f"display:inline-block;padding:1px 7px;margin:2px 0;border:{line} {TONES[look.tone]};border-radius:4px"
    name = f"{look.mark} {escape(str(row['stage']))}"
    return (
        f'<span style="{style}" title="{escape(str(row["stage"]))}: {look.title}">'
        f"{f'<strong>{name}</strong>' if is_here else name}</span>"
    )


def legend(rows: Sequence[Mapping[str, Any]]) -> str:
    """What the marks mean that occur."""
    kinds = {kind_of(row) for row in rows}
    return "; ".join(f"{look.mark} {look.title}" for kind, look in LOOKS.items() if kind in kinds)
