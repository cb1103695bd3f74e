"""Chooses further cases that tell apart what the cases asked so far do not."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from stagegrade.diagnosis._compare import alike
from stagegrade.pipelines import Case, Kind, Pipeline, Stage, draw, draw_free

Candidate = TypeVar("Candidate")

# Away from every seed of the cases that are always asked.
_FURTHER = 10_000
_FREE = 20_000
TRIED = 6
"""How many cases of each kind are tried out before the remaining candidates count as alternatives."""


@dataclass(frozen=True)
class _Raised:
    kind: str
    message: str


def further_cases(pipeline: Pipeline, stage: Stage | None, seed: int) -> Iterator[Case]:
    """Cases that have not been asked: of the stage's own inputs drawn freely, then of the whole pipeline."""
    if stage is not None and stage.of == "function":
        for turn in range(TRIED):
            yield draw_free(pipeline, stage, seed + _FREE + turn, turn)
    kinds = [Kind.RECTANGULAR, Kind.LARGE]
    if stage is None or stage.batched:
        kinds.append(Kind.BATCHED)
    for turn in range(TRIED):
        for kind in kinds:
            yield draw(pipeline, kind, seed + _FURTHER + turn, turn)


def telling_apart(
    candidates: Sequence[Candidate], output: Callable[[Candidate, Case], Any], drawn: Iterable[Case]
) -> list[Case]:
    """Those of ``drawn`` on which candidates differ that agree on every one before; none where all agree always."""
    groups = [list(candidates)]
    chosen = []
    for case in drawn:
        split = [part for group in groups for part in _split(group, output, case)]
        if len(split) > len(groups):
            chosen.append(case)
            groups = split
        if len(groups) == len(candidates):
            break
    return chosen


def _split(
    group: Sequence[Candidate], output: Callable[[Candidate, Case], Any], case: Case
) -> list[list[Candidate]]:
    if len(group) == 1:
        return [list(group)]
    parts: list[tuple[Any, list[Candidate]]] = []
    for candidate in group:
        try:
            given = output(candidate, case)
        except Exception as error:  # noqa: BLE001 - a mistake raises what wrong code raises
            given = _Raised(type(error).__name__, str(error))
        for known, members in parts:
            if _agree(known, given):
                members.append(candidate)
                break
        else:
            parts.append((given, [candidate]))
    return [members for _, members in parts]


def _agree(one: Any, other: Any) -> bool:
    if isinstance(one, _Raised) or isinstance(other, _Raised):
        return bool(one == other)
    return alike(one, other)
