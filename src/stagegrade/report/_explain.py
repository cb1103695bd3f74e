"""A record in words, for ``stagegrade explain`` and ``diagnose``."""

from collections.abc import Mapping
from typing import Any

from stagegrade.report._panel import panel
from stagegrade.report._pipeline import legend, strip_text


def explanation(record: Mapping[str, Any], stage: str | None = None) -> str:
    """The record's stages, or one of them, with where to look first. Raises ``KeyError`` for an unknown stage."""
    rows = [row for row in record["stages"] if stage is None or row["stage"] == stage]
    if not rows:
        raise KeyError(stage)
    lines = []
    if stage is None:
        lines.append(
            f"{record['assignment']}, {record['notebook']}: {record['score']:g} of {record['max_score']:g}"
        )
        lines.append(_first(record))
        lines += [f"flag: {flag}" for flag in record["flags"]]
        if record["status"] == "unreadable":
            return "\n".join(lines)
        lines += [strip_text(rows), legend(rows), ""]
        lines += [panel(row)["text/plain"] for row in rows]
    else:
        lines += [panel(row, record)["text/plain"] for row in rows]
    return "\n".join(lines)


def _first(record: Mapping[str, Any]) -> str:
    if record["status"] != "graded":
        return f"It could not be graded whole: {record['status']}."
    if record["first_divergence"] is None:
        return "Every stage is right."
    checkpoint = f" (checkpoint: {record['checkpoint']})" if record["checkpoint"] else ""
    return f"Look first at: {record['first_divergence']}{checkpoint}"
