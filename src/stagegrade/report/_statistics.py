"""A cohort in figures: stages, causes, points."""

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stagegrade.report._cohort import Cohort, Submission, cause_of
from stagegrade.report._verdicts import is_right, kind_of, mistakes_in

# Fewer than these say nothing of how well a stage tells students apart.
ENOUGH = 10


@dataclass(frozen=True, kw_only=True)
class StageFigures:
    stage: str
    of: int
    """Submissions that ran."""
    right: int
    past: int
    """Right here and in every stage before."""
    first: int
    """First divergence here."""
    discrimination: float | None
    """The correlation, over submissions, of being right here with the points of all other stages; ``None``
    where there are too few, or where all are right or all wrong."""
    kinds: Mapping[str, int]
    """Submissions by verdict, a carried error apart."""
    causes: Sequence[tuple[str, int]]
    """What went wrong, the most frequent first."""

    @property
    def difficulty(self) -> float | None:
        """The share of submissions that are right: near 1 is easy."""
        return self.right / self.of if self.of else None


@dataclass(frozen=True, kw_only=True)
class CauseFigures:
    """Something that went wrong in one stage, and how often."""

    stage: str
    cause: str
    count: int
    first: int
    """How often it was the first divergence."""
    named: bool
    """A mistake of the catalogue's, whose row explains it."""
    example: Mapping[str, Any]
    """A row that shows it, with its smallest case where there is one."""


@dataclass(frozen=True, kw_only=True)
class PointFigures:
    most: float
    mean: float
    quartiles: tuple[float, float, float]
    bins: Sequence[tuple[float, float, int]]
    """From, below (the last bin holds its end too), how many."""


def stage_figures(cohort: Cohort) -> list[StageFigures]:
    ran = [one for one in cohort.submissions if one.was_run]
    return [_stage(stage, cohort.stages[:number], ran) for number, stage in enumerate(cohort.stages)]


def _stage(stage: str, before: Sequence[str], ran: Sequence[Submission]) -> StageFigures:
    rows = [one.rows[stage] for one in ran if stage in one.rows]
    causes = Counter(cause_of(row) for row in rows if not is_right(row))
    return StageFigures(
        stage=stage,
        of=len(rows),
        right=sum(map(is_right, rows)),
        past=sum(all(is_right(one.rows[s]) for s in (*before, stage) if s in one.rows) for one in ran),
        first=sum(one.first == stage for one in ran),
        discrimination=_discrimination(stage, ran),
        kinds=Counter(kind_of(row) for row in rows),
        causes=causes.most_common(),
    )


def _discrimination(stage: str, ran: Sequence[Submission]) -> float | None:
    here, rest = [], []
    for one in ran:
        if stage in one.rows:
            here.append(float(is_right(one.rows[stage])))
            rest.append(sum(row["points"] for name, row in one.rows.items() if name != stage))
    if len(here) < ENOUGH:
        return None
    return correlation(here, rest)


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's; ``None`` where either does not vary."""
    # Sums of points that are equal on paper may differ in their last digit.
    if min(statistics.pstdev(one), statistics.pstdev(other)) < 1e-6:
        return None
    return statistics.correlation(one, other)


def cause_figures(cohort: Cohort) -> list[CauseFigures]:
    """Everything that went wrong, the most frequent first."""
    found: dict[tuple[str, str], list[tuple[Submission, Mapping[str, Any]]]] = {}
    for one in cohort.submissions:
        for stage, row in one.rows.items():
            if one.was_run and not is_right(row):
                found.setdefault((stage, cause_of(row)), []).append((one, row))
    figures = [
        CauseFigures(
            stage=stage,
            cause=cause,
            count=len(seen),
            first=sum(one.first == stage for one, _ in seen),
            named=bool(mistakes_in(seen[0][1])),
            example=next((row for _, row in seen if "smallest" in (row["evidence"] or {})), seen[0][1]),
        )
        for (stage, cause), seen in found.items()
    ]
    order = {stage: number for number, stage in enumerate(cohort.stages)}
    return sorted(figures, key=lambda f: (-f.count, order[f.stage], f.cause))


def point_figures(cohort: Cohort) -> PointFigures | None:
    """``None`` for a cohort of nobody."""
    scores = sorted(one.score for one in cohort.submissions)
    if not scores:
        return None
    most = max(one.max_score for one in cohort.submissions)
    top = max(most, scores[-1])
    # A bin a point where that can be read, and else as few whole points as make no more than twenty.
    width = max(1.0, math.ceil(top / 20)) if top > 0 else 1.0
    count = max(1, math.ceil(top / width))
    tally = Counter(max(0, min(int(score // width), count - 1)) for score in scores)
    return PointFigures(
        most=most,
        mean=statistics.fmean(scores),
        quartiles=_quartiles(scores),
        bins=[(n * width, (n + 1) * width, tally[n]) for n in range(count)],
    )


def _quartiles(scores: list[float]) -> tuple[float, float, float]:
    # One score is all three of its quartiles, which `quantiles` says from Python 3.13 on.
    low, middle, high = statistics.quantiles(scores if len(scores) > 1 else scores * 2, method="inclusive")
    return low, middle, high
