"""How a verdict is named and marked, wherever one is shown: panel, table, feedback, report."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Look:
    """One verdict as people see it. The mark and the title say it all; the colours only repeat it."""

    mark: str
    title: str
    tone: str
    """``good``, ``bad``, ``waiting`` or ``quiet``."""


CARRIED = "carried"
LOOKS: Mapping[str, Look] = {
    "correct": Look("✓", "right", "good"),
    CARRIED: Look("↓", "right, carries an earlier error", "good"),
    "diverges": Look("✗", "diverges", "bad"),
    "raised": Look("!", "raised an error", "bad"),
    "missing": Look("·", "not written", "waiting"),
    "timed_out": Look("◔", "ran out of time", "bad"),
    "out_of_memory": Look("▲", "ran out of memory", "bad"),
    "lost": Look("†", "its process ended", "bad"),
    "not_reached": Look("–", "not reached", "quiet"),
}
UNKNOWN = Look("?", "unknown", "bad")

# Each at least 3:1 against white and against the dark themes' near-black, for what is not text.
TONES: Mapping[str, str] = {"good": "#2e8b57", "bad": "#d1495b", "waiting": "#b7791f", "quiet": "#7a7a7a"}


def kind_of(row: Mapping[str, Any]) -> str:
    """The verdict of a stage's row, with a carried error as a kind of its own."""
    return CARRIED if row["carried"] else str(row["verdict"])


def look_of(row: Mapping[str, Any]) -> Look:
    return LOOKS.get(kind_of(row), UNKNOWN)


def is_right(row: Mapping[str, Any]) -> bool:
    return str(row["verdict"]) == "correct"


def mistakes_in(row: Mapping[str, Any]) -> list[str]:
    """The mistake that a stage's row names, or those that no case tells apart; none where none is known."""
    if row["mistake"]:
        return [str(row["mistake"])]
    return [str(name) for name in (row["evidence"] or {}).get("alternatives", ())]


def mistake_of(row: Mapping[str, Any]) -> str | None:
    """The same in one column: ``divides-by-d_k or scaled-twice``."""
    return " or ".join(mistakes_in(row)) or None


def points_of(points: float, most: float) -> str:
    """``2 of 3 points``."""
    return f"{number(points)} of {number(most)} {'point' if most == 1 else 'points'}"


def number(value: float) -> str:
    """At most two decimals, and none that say nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
