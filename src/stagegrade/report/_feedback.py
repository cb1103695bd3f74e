"""A student's feedback: first the summary, then the notebook with verdicts, points and comments in their places."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import Any

from markupsafe import Markup

from stagegrade.report._markup import Picture, code_html, markdown_html, no_picture, with_pictures
from stagegrade.report._outputs import output_html
from stagegrade.report._panel import coded, first_sentence, next_check, panel, said_of
from stagegrade.report._pipeline import legend, strip_html
from stagegrade.report._template import template
from stagegrade.report._verdicts import is_right, look_of, mistake_of, number, points_of

_HEADING = re.compile(r"\s*# +(.+)")


@dataclass(frozen=True, kw_only=True)
class CellGrade:
    """What the gradebook says of one graded cell."""

    score: float
    """What counts, extra credit included."""
    max_score: float
    by_hand: bool = False
    """A person set it."""
    waits: bool = False
    """A person has yet to look at it."""


@dataclass(frozen=True, kw_only=True)
class Grades:
    """What the gradebook says of one notebook of a student's."""

    score: float
    """The sum of the cells, before a late penalty."""
    max_score: float
    late_penalty: float = 0.0
    cells: Mapping[str, CellGrade] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    """Markdown, by grade_id."""
    handed_in: datetime | None = None
    seconds_late: float = 0.0

    @property
    def total(self) -> float:
        return self.score - self.late_penalty


@dataclass(frozen=True, kw_only=True)
class _Cell:
    """A cell as the page shows it."""

    kind: str
    """``text``, ``code``, ``answer``, ``check`` or ``task``."""
    title: str
    grade_id: str
    anchor: str
    source: str
    panels: Sequence[str]
    outputs: Sequence[str]
    grade: CellGrade | None
    comment: str

    @property
    def points(self) -> str:
        return points_said(self.grade) if self.grade else ""


def points_said(grade: CellGrade) -> str:
    said = points_of(grade.score, grade.max_score)
    if grade.waits:
        return f"{said} so far; not graded yet"
    return f"{said}, given by hand" if grade.by_hand else said


def feedback_page(
    notebook: Mapping[str, Any],
    *,
    title: str,
    student: str,
    grades: Grades,
    record: Mapping[str, Any] | None,
    ours: str = "stagegrade",
    picture: Picture = no_picture,
) -> str:
    """The page for ``notebook`` (nbformat 4, its hidden tests taken out already), whose name is ``title``.

    ``record`` is the judge's, ``None`` for a notebook that tests no stage. An output whose metadata has the key
    ``ours`` is a panel, and a grade cell's metadata under that key names its stages; panels are drawn anew.
    ``picture`` gives the pictures that lie beside the notebook, which the page then holds itself.
    """
    rows: Sequence[Mapping[str, Any]] = record["stages"] if record else ()
    cells = list(_cells(notebook, grades, record, ours, picture))
    anchors = {
        stage: cell.anchor
        for cell, raw in zip(cells, notebook["cells"], strict=True)
        for stage in raw.get("metadata", {}).get(ours, {}).get("stages", ())
    }
    first = next((row for row in rows if row["stage"] == (record or {}).get("first_divergence")), None)
    unreadable = record is not None and record["status"] == "unreadable"
    return template("feedback.html").render(
        name=title,
        title=_title(notebook) or title,
        student=student,
        grades=grades,
        record=record,
        rows=[_summary_row(row, anchors, unreadable=unreadable) for row in rows],
        first=_first(first, record, anchors) if first and record else None,
        all_right=bool(rows) and all(is_right(row) for row in rows),
        picture=Markup(strip_html(rows)),
        share=max(0.0, min(1.0, grades.total / grades.max_score)) if grades.max_score else 0.0,
        legend=legend(rows),
        cells=cells,
        others=[cell for cell in cells if cell.grade and cell.anchor not in anchors.values()],
        commented=[cell for cell in cells if cell.comment],
    )


def _title(notebook: Mapping[str, Any]) -> str:
    """What the notebook calls itself: its first heading, where that begins the first text; else nothing."""
    first = next((str(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"), "")
    found = _HEADING.match(first)
    return re.sub(r"[*`$\\]", "", found[1]).strip() if found else ""


def _summary_row(row: Mapping[str, Any], anchors: Mapping[str, str], *, unreadable: bool) -> dict[str, Any]:
    look = look_of(row)
    why = "" if unreadable or is_right(row) else first_sentence(said_of(row), 160)
    why += "." if why and why[-1].isalnum() else ""
    return {
        "stage": row["stage"],
        "anchor": anchors.get(row["stage"]),
        "mark": look.mark,
        "title": look.title,
        "tone": look.tone,
        "points": f"{number(row['points'])} of {number(row['max_points'])}",
        "why": Markup(coded(why)),
        "mistake": mistake_of(row) or "",
    }


def _first(row: Mapping[str, Any], record: Mapping[str, Any], anchors: Mapping[str, str]) -> dict[str, Any]:
    return {
        "stage": row["stage"],
        "anchor": anchors.get(row["stage"]),
        "title": look_of(row).title,
        "checkpoint": record["checkpoint"],
        "said": Markup(coded(said_of(row))),
        "next": Markup(coded(next_check(row))),
    }


def _cells(
    notebook: Mapping[str, Any],
    grades: Grades,
    record: Mapping[str, Any] | None,
    ours: str,
    picture: Picture,
) -> Iterator[_Cell]:
    rows = {row["stage"]: row for row in record["stages"]} if record else {}
    # What is wrong with the whole notebook stands at the top of the page.
    alone = {**record, "flags": []} if record else None
    for index, cell in enumerate(notebook["cells"], start=1):
        metadata = cell.get("metadata", {})
        known: Mapping[str, Any] = metadata.get("nbgrader", {})
        grade_id = str(known.get("grade_id", ""))
        kind, title = _kind(cell, known)
        stages = [stage for stage in metadata.get(ours, {}).get("stages", ()) if stage in rows]
        drawn = [panel(rows[stage], alone)["text/html"] for stage in stages]
        comment = grades.comments.get(grade_id, "")
        graded = known.get("grade") or known.get("task")
        yield _Cell(
            kind=kind,
            title=title,
            grade_id=grade_id,
            anchor=f"cell-{index}",
            source=Markup(with_pictures(_source(cell), picture)),
            panels=[Markup(html) for html in drawn],
            outputs=[
                Markup(with_pictures(html, picture))
                for output in cell.get("outputs", ())
                if ours not in output.get("metadata", {})
                for html in [output_html(output)]
                if html
            ],
            grade=grades.cells.get(grade_id) if graded else None,
            comment=Markup(markdown_html(comment, below=3)) if comment else "",
        )


def _kind(cell: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[str, str]:
    if known.get("task"):
        return "task", "Task"
    if known.get("solution"):
        return "answer", "Your answer"
    if known.get("grade"):
        return "check", f"Check: {known['grade_id']}"
    return ("text" if cell["cell_type"] == "markdown" else "code"), ""


def _source(cell: Mapping[str, Any]) -> str:
    source = str(cell["source"])
    if cell["cell_type"] == "markdown":
        return markdown_html(source, below=1, attachments=cell.get("attachments"))
    if cell["cell_type"] == "raw":
        return f"<pre>{escape(source)}</pre>"
    return code_html(source)
