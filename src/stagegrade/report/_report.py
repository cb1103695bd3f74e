"""The cohort's report: one page that opens offline, and the same as data."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from stagegrade.report import _charts as charts
from stagegrade.report._cohort import Cohort, Submission, cause_of
from stagegrade.report._csv import Cell, csv_text
from stagegrade.report._panel import coded, panel, said_of
from stagegrade.report._statistics import (
    CauseFigures,
    StageFigures,
    cause_figures,
    point_figures,
    stage_figures,
)
from stagegrade.report._template import template
from stagegrade.report._verdicts import LOOKS, kind_of

MOST_CAUSES = 12


def report_page(cohort: Cohort, title: str = "") -> str:
    """The page, complete in itself. Its table of students is made by its own script from the data it holds."""
    stages = stage_figures(cohort)
    causes = cause_figures(cohort)
    points = point_figures(cohort)
    seconds = [one.seconds for one in cohort.submissions if one.seconds is not None]
    return template("report.html").render(
        title=title or cohort.assignment,
        cohort=cohort,
        looks=LOOKS,
        lead=_lead(cohort, stages),
        ran=sum(one.was_run for one in cohort.submissions),
        right=sum(one.was_run and one.first is None for one in cohort.submissions),
        concerned=[one for one in cohort.submissions if one.concerns],
        stages=stages,
        causes=[_cause(f) for f in causes if f.named][:MOST_CAUSES],
        causes_left=max(0, sum(f.named for f in causes) - MOST_CAUSES),
        others=[f for f in causes if not f.named],
        points=points,
        seconds=sorted(seconds),
        map_chart=charts.verdict_map(cohort) if cohort.submissions and stages else None,
        funnel_chart=charts.funnel(stages) if stages else None,
        cause_chart=charts.cause_bars(causes) if causes else None,
        point_chart=(charts.point_bars(points), ()) if points else None,
        second_chart=(charts.second_bars(seconds), ()) if seconds else None,
        link=charts.link_to,
        data=_embedded(_students(cohort)),
    )


def _lead(cohort: Cohort, stages: Sequence[StageFigures]) -> Mapping[str, Any] | None:
    """The stage that most diverge at first, and what most often went wrong there; ``None`` where nobody does."""
    worst = max(stages, key=lambda f: f.first, default=None)
    if worst is None or not worst.first:
        return None
    causes = Counter(
        cause_of(one.rows[worst.stage])
        for one in cohort.submissions
        if one.was_run and one.first == worst.stage
    )
    cause, count = causes.most_common(1)[0]
    return {"stage": worst.stage, "first": worst.first, "cause": cause, "count": count}


def _cause(figures: CauseFigures) -> dict[str, Any]:
    hint = (figures.example["evidence"] or {}).get("hint", "")
    return {
        "figures": figures,
        # What Python said to one student is in the example.
        "say": Markup(coded(said_of(figures.example).partition(" It raised ")[0])),
        "ask": Markup(coded(str(hint))),
        "example": Markup(panel(figures.example)["text/html"]),
    }


def _students(cohort: Cohort) -> dict[str, Any]:
    """What the page's script needs, each word of it once."""
    kinds = list(LOOKS)
    causes: dict[str, int] = {"": 0}
    return {
        "stages": list(cohort.stages),
        "kinds": [{"key": kind, "mark": LOOKS[kind].mark, "title": LOOKS[kind].title} for kind in kinds],
        "timed": any(one.seconds is not None for one in cohort.submissions),
        "students": [
            {
                "id": one.student,
                "name": one.name,
                "page": one.feedback and quote(one.feedback),
                "verdicts": [
                    kinds.index(kind_of(one.rows[stage])) if stage in one.rows else -1
                    for stage in cohort.stages
                ],
                "causes": [
                    causes.setdefault(cause_of(one.rows[stage]) if stage in one.rows else "", len(causes))
                    for stage in cohort.stages
                ],
                "first": cohort.stages.index(one.first) if one.first in cohort.stages else -1,
                "score": round(one.score, 2),
                "max": round(one.max_score, 2),
                "seconds": one.seconds,
                "concerns": list(one.concerns),
            }
            for one in cohort.submissions
        ],
        "causes": list(causes),
    }


def _embedded(data: Mapping[str, Any]) -> Markup:
    """JSON that nothing in it can break out of its script element with."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def report_data(cohort: Cohort) -> dict[str, Any]:
    """The figures and every submission, for ``--json``."""
    points = point_figures(cohort)
    return {
        "schema": 1,
        "assignment": cohort.assignment,
        "submissions": len(cohort.submissions),
        "stages": [_stage_data(f) for f in stage_figures(cohort)],
        "causes": [
            {
                "stage": f.stage,
                "cause": f.cause,
                "count": f.count,
                "first_divergences": f.first,
                "named": f.named,
            }
            for f in cause_figures(cohort)
        ],
        "points": {"max": points.most, "mean": points.mean, "quartiles": list(points.quartiles)}
        if points
        else None,
        "students": [_submission_data(one) for one in cohort.submissions],
    }


def _stage_data(figures: StageFigures) -> dict[str, Any]:
    return {
        "stage": figures.stage,
        "submissions": figures.of,
        "right": figures.right,
        "past": figures.past,
        "first_divergences": figures.first,
        "difficulty": figures.difficulty,
        "discrimination": figures.discrimination,
        "verdicts": dict(figures.kinds),
    }


def _submission_data(one: Submission) -> dict[str, Any]:
    return {
        "student": one.student,
        "status": one.record["status"],
        "score": one.score,
        "max_score": one.max_score,
        "late_penalty": one.late_penalty,
        "first_divergence": one.first,
        "concerns": list(one.concerns),
        "seconds": one.seconds,
        "stages": [
            {
                "stage": stage,
                "verdict": row["verdict"],
                "carried": row["carried"],
                "points": row["points"],
                "max_points": row["max_points"],
                "mistake": row["mistake"],
                "cause": cause_of(row) or None,
            }
            for stage, row in one.rows.items()
        ],
    }


def report_csv(cohort: Cohort) -> str:
    """A line a student, for ``--csv``: verdict and points of each stage, then what an instructor sorts by."""
    head = [
        "student",
        "status",
        "score",
        "max_score",
        "late_penalty",
        "first_divergence",
        "cause",
        "concerns",
    ]
    head += [f"{stage}{part}" for stage in cohort.stages for part in ("", "_points")]
    return csv_text([head, *(list(_cells(one, cohort.stages)) for one in cohort.submissions)])


def _cells(one: Submission, stages: Sequence[str]) -> Iterator[Cell]:
    yield one.student
    yield str(one.record["status"])
    yield one.score
    yield one.max_score
    yield one.late_penalty
    yield one.first or ""
    yield cause_of(one.rows[one.first]) if one.first is not None and one.first in one.rows else ""
    yield "; ".join(one.concerns)
    for stage in stages:
        row = one.rows.get(stage)
        yield kind_of(row) if row else ""
        yield float(row["points"]) if row else None
