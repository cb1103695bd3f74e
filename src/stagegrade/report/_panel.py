"""The verdict panel: what stands under a grade cell."""

from collections.abc import Mapping
from html import escape
from typing import Any

TITLES = {
    "correct": "Right",
    "diverges": "Diverges here",
    "raised": "Raised an error",
    "missing": "Nothing to test",
    "timed_out": "Ran out of time",
    "out_of_memory": "Ran out of memory",
    "lost": "Its process ended",
    "not_reached": "Not reached",
}
MARKS = {"correct": "✓", "not_reached": "–"}


def panel(row: Mapping[str, Any]) -> dict[str, str]:
    """A stage's row of the record, as ``text/plain`` (complete) and ``text/html``."""
    verdict = str(row["verdict"])
    title = "Right, carries an earlier error" if row["carried"] else TITLES.get(verdict, verdict)
    mark = MARKS.get(verdict, "✗")
    points = f"{row['points']:g} of {row['max_points']:g} points"
    lines = [f"{mark} {row['stage']}: {title} ({points})"]
    if row["mistake"]:
        lines.append(f"  mistake: {row['mistake']}")
    lines.append(f"  {row['message']}")
    evidence = row["evidence"] or {}
    if row["mistake"]:
        lines += [f"  {key}: {evidence[key]}" for key in ("expected", "got") if key in evidence]
    body = "".join(f"<div>{escape(line.strip())}</div>" for line in lines[1:])
    html = (
        '<section style="border:1px solid currentColor;border-left-width:6px;padding:.5em .8em" '
        f'aria-label="Verdict for {escape(str(row["stage"]))}"><strong>{escape(lines[0])}</strong>{body}</section>'
    )
    return {"text/plain": "\n".join(lines), "text/html": html}
