"""The cohort on a terminal: students by stages, the first divergence marked."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from stagegrade.report._panel import first_sentence
from stagegrade.report._verdicts import LOOKS, look_of, mistake_of

STYLES = {"good": "green", "bad": "red", "waiting": "yellow", "quiet": "dim"}
LEGEND = "  ".join(f"{look.mark} {look.title}" for look in LOOKS.values()) + "; [x] is the first divergence"


def cohort_table(title: str, records: Mapping[str, Mapping[str, Any]]) -> Table:
    """A table of one assignment's records by student. Nothing in it is read as markup: students write some of it."""
    stages = list(dict.fromkeys(row["stage"] for record in records.values() for row in record["stages"]))
    table = Table(
        title=Text(title, style="table.title"),
        box=SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("student", overflow="fold")
    for stage in stages:
        table.add_column(Text("\n".join(stage.split("_"))), justify="center")
    table.add_column("score", justify="right")
    table.add_column("first divergence: mistake", overflow="fold")
    for student, record in sorted(records.items()):
        rows = {row["stage"]: row for row in record["stages"]}
        first = record["first_divergence"]
        marks = [_mark(rows.get(stage), stage == first) for stage in stages]
        points = f"{record['score']:g}/{record['max_score']:g}"
        table.add_row(Text(student), *marks, points, Text(_why(record, rows)))
    return table


def _mark(row: Mapping[str, Any] | None, is_first: bool) -> Text:
    if row is None:
        return Text("")
    look = look_of(row)
    return Text(f"[{look.mark}]" if is_first else look.mark, style=STYLES[look.tone])


def _why(record: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> str:
    first = record["first_divergence"]
    if record["status"] != "graded":
        return f"{record['status']}: {record['flags'][0] if record['flags'] else ''}"
    if first is None:
        return ""
    row = rows[first]
    mistake = mistake_of(row)
    if mistake:
        return f"{first}: {mistake}"
    return f"{first}: {first_sentence(row['message'], 60)}"


def sentence_of(records: Sequence[Mapping[str, Any]]) -> str:
    """The cohort in one line, for the end of a run."""
    whole = sum(1 for r in records if r["first_divergence"] is None and r["status"] == "graded")
    ungraded = sum(1 for r in records if r["status"] != "graded")
    noun = "submission" if len(records) == 1 else "submissions"
    diverging = len(records) - whole - ungraded
    text = f"{len(records)} {noun}: {whole} right throughout, {diverging} diverge"
    text += "s" if diverging == 1 else ""
    return text + (f", {ungraded} could not be graded whole." if ungraded else ".")
