"""A cohort's charts, drawn by Vega-Lite into SVG that needs no script.

Colours are the page's own (CSS variables), so that a chart turns dark with it; every mark has its words for those
who do not see it, and leads to the students it stands for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias
from urllib.parse import quote

import vl_convert

from stagegrade.report._cohort import Cohort
from stagegrade.report._statistics import CauseFigures, PointFigures, StageFigures
from stagegrade.report._verdicts import LOOKS, kind_of, number

_CONFIG: Mapping[str, Any] = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--ink)",
        "gridColor": "var(--line)",
        "domainColor": "var(--faint)",
        "tickColor": "var(--faint)",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 260,
    },
}
# Vega takes a link for one relative to its own examples.
_BASE = "https://vega.github.io/vega-datasets/"
_MARK = re.compile(r'<path aria-label="([^"]*)"([^>]*)/>')
MOST_CAUSES = 15
MOST_ROOM = 380

Key: TypeAlias = Sequence[tuple[str, str]]
"""What a chart's colours mean: words, and the colour. Shown beside it, where it wraps as text does."""


def _svg(spec: Mapping[str, Any]) -> str:
    drawn: str = vl_convert.vegalite_to_svg({"config": _CONFIG, **spec}, allowed_base_urls=[])
    linked = drawn.replace(f'xlink:href="{_BASE}', 'href="')
    # What a mark is called, to a pointer too.
    return _MARK.sub(r'<path aria-label="\1"\2><title>\1</title></path>', linked)


def link_to(**wanted: str) -> str:
    """The address, within the page, of the students of a stage, verdict or cause."""
    return "#" + "&".join(f"{name}={quote(value)}" for name, value in wanted.items())


def _breadth(labels: Sequence[str]) -> int:
    """Room for the longest label in pixels. Vega measures with a narrower font than some browsers draw with."""
    return round(7.6 * max((len(label) for label in labels), default=0)) + 8


def verdict_map(cohort: Cohort) -> tuple[str, Key]:
    """Students from top to bottom, alike ones together, by stages; neighbours with one verdict are one area."""
    kinds = list(LOOKS)
    patterns = sorted(
        [
            kinds.index(kind_of(one.rows[stage])) if stage in one.rows else len(kinds) - 1
            for stage in cohort.stages
        ]
        for one in cohort.submissions
    )
    used = sorted({kind for pattern in patterns for kind in pattern})
    key = [(f"{LOOKS[kinds[k]].mark} {LOOKS[kinds[k]].title}", _color(kinds[k])) for k in used]
    height = max(120, min(420, 22 * len(patterns)))
    areas = [
        area
        for column, stage in enumerate(cohort.stages)
        for area in _areas(stage, [kinds[pattern[column]] for pattern in patterns])
    ]
    x = {"field": "stage", "sort": None, "title": None, "axis": {"orient": "top", "labelAngle": 0}}
    y = {
        "type": "quantitative",
        "title": "students",
        "scale": {"reverse": True, "domain": [0, len(patterns)], "nice": False},
        "axis": {**_whole([len(patterns)]), "minExtent": _breadth([f"{len(patterns):,}"])},
    }
    drawn = _svg(
        {
            "width": {"step": max(70, _breadth(cohort.stages))},
            "height": height,
            "data": {"values": areas},
            "layer": [
                {
                    "mark": {"type": "rect", "stroke": "var(--paper)", "strokeWidth": 1},
                    "encoding": {
                        "x": x,
                        "y": {"field": "from", **y},
                        "y2": {"field": "to"},
                        "color": {
                            "field": "verdict",
                            "scale": {"domain": [name for name, _ in key], "range": [c for _, c in key]},
                            "legend": None,
                        },
                        "href": {"field": "link"},
                        "description": {"field": "said"},
                    },
                },
                {
                    # The mark, where an area is high enough for it: colour alone need not tell.
                    "transform": [{"filter": f"datum.to - datum.from >= {len(patterns) * 15 / height}"}],
                    "mark": {"type": "text", "color": "#000", "fontSize": 13, "aria": False},
                    "encoding": {"x": x, "y": {"field": "middle", **y}, "text": {"field": "mark"}},
                },
            ],
        }
    )
    return drawn, key


def _areas(stage: str, column: Sequence[str]) -> Iterator[dict[str, Any]]:
    at = 0
    for kind, group in groupby(column):
        count, look = len(list(group)), LOOKS[kind]
        yield {
            "stage": stage,
            "from": at,
            "to": at + count,
            "middle": at + count / 2,
            "mark": look.mark,
            "verdict": f"{look.mark} {look.title}",
            "said": f"{stage}: {count} {look.title}",
            "link": link_to(stage=stage, verdict=kind),
        }
        at += count


def _color(kind: str) -> str:
    return f"var(--{kind.replace('_', '-')})"


def funnel(figures: Sequence[StageFigures]) -> tuple[str, Key]:
    """How many are right in each stage, and how many were right in every stage up to it."""
    alone, past = "right in this stage", "right in it and all before"
    values = [
        {"stage": f.stage, "kind": kind, "n": n, "said": f"{f.stage}: {n} of {f.of} {kind}"}
        for f in figures
        for kind, n in ((alone, f.right), (past, f.past))
    ]
    return _bars(
        values,
        colors={alone: "var(--bar)", past: "var(--accent)"},
        height={"step": 15},
        offset={"yOffset": {"field": "kind", "sort": None}},
    )


def cause_bars(causes: Sequence[CauseFigures]) -> tuple[str, Key]:
    """The most frequent causes; the first divergences among them apart.

    That a stage was not written because an earlier one was not is left out.
    """
    first, later = "first divergence", "after an earlier divergence"
    values = [
        {
            "stage": f"{c.stage}: {c.cause}",
            "kind": kind,
            "n": n,
            "said": f"{c.stage}: {c.cause}: {n}, {kind}",
            "link": link_to(stage=c.stage, cause=c.cause),
        }
        for c in [c for c in causes if c.named or c.first][:MOST_CAUSES]
        for kind, n in ((first, c.first), (later, c.count - c.first))
        if n
    ]
    return _bars(values, colors={first: "var(--accent)", later: "var(--bar)"}, height={"step": 22})


def _bars(
    values: Sequence[Mapping[str, Any]],
    *,
    colors: Mapping[str, str],
    height: Any,
    offset: Mapping[str, Any] | None = None,
) -> tuple[str, Key]:
    labels = list(dict.fromkeys(value["stage"] for value in values))
    room = min(MOST_ROOM, _breadth(labels))
    drawn = _svg(
        {
            "width": 420,
            "height": height,
            "data": {"values": list(values)},
            "mark": {"type": "bar", "cornerRadiusEnd": 2},
            "encoding": {
                "y": {
                    "field": "stage",
                    "sort": labels,
                    "title": None,
                    "axis": {"minExtent": room, "labelLimit": room},
                },
                "x": {
                    "field": "n",
                    "type": "quantitative",
                    "title": "students",
                    "axis": _whole([value["n"] for value in values]),
                },
                **(offset or {}),
                "color": {
                    "field": "kind",
                    "sort": None,
                    "scale": {"domain": list(colors), "range": list(colors.values())},
                    "legend": None,
                },
                "description": {"field": "said"},
                **({"href": {"field": "link"}} if values and "link" in values[0] else {}),
            },
        }
    )
    return drawn, list(colors.items())


def _whole(counts: Sequence[int]) -> dict[str, Any]:
    """An axis of students, of whom there are no halves."""
    return {"format": ",d", "tickMinStep": 1, "tickCount": max(1, min(5, max(counts, default=1)))}


def point_bars(points: PointFigures) -> str:
    """The distribution of points, with its median."""
    values = [
        {"from": low, "to": high, "n": n, "said": f"{number(low)} to below {number(high)} points: {n}"}
        for low, high, n in points.bins
    ]
    return _histogram(values, "points", points.quartiles[1])


def second_bars(seconds: Sequence[float]) -> str:
    """How long submissions took."""
    top = max(seconds)
    width = max(top / 20, 0.05)
    counts = [0] * 20
    for value in seconds:
        counts[min(int(value / width), 19)] += 1
    values = [
        {"from": n * width, "to": (n + 1) * width, "n": count, "said": f"{n * width:.2g} s and more: {count}"}
        for n, count in enumerate(counts)
    ]
    return _histogram(values, "seconds", sorted(seconds)[len(seconds) // 2])


def _histogram(values: Sequence[Mapping[str, Any]], title: str, median: float) -> str:
    return _svg(
        {
            "width": 420,
            "height": 170,
            "layer": [
                {
                    "data": {"values": list(values)},
                    "mark": {"type": "bar", "color": "var(--bar)", "binSpacing": 1},
                    "encoding": {
                        "x": {"field": "from", "type": "quantitative", "bin": "binned", "title": title},
                        "x2": {"field": "to"},
                        "y": {
                            "field": "n",
                            "type": "quantitative",
                            "title": "students",
                            "axis": _whole([value["n"] for value in values]),
                        },
                        "description": {"field": "said"},
                    },
                },
                {
                    "data": {"values": [{"at": median, "said": f"median {number(median)}"}]},
                    "mark": {
                        "type": "rule",
                        "color": "var(--accent)",
                        "strokeWidth": 2,
                        "strokeDash": [5, 3],
                    },
                    "encoding": {
                        "x": {"field": "at", "type": "quantitative"},
                        "description": {"field": "said"},
                    },
                },
            ],
        }
    )
