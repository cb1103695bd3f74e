"""What a mistake comes to on a case, and whether two of them can be told apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import torch
from torch import Tensor

from stagegrade.pipelines import Case, Kind, Mistake, Pipeline, Stage, Trace, Value, cases, find, names

# The tensors are tiny: sharing them out among threads takes a hundred times what computing them does.
torch.set_num_threads(1)

PIPELINES = {name: find(name) for name in names()}
STAGES = [(pipeline, stage) for pipeline in PIPELINES.values() for stage in pipeline.asked]
SEEDS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Raised:
    error: str


Outcome: TypeAlias = "Value | Raised"


@cache
def traces(name: str, seed: int) -> tuple[tuple[Case, Trace], ...]:
    """A pipeline's cases for a seed, each with the reference's trace."""
    return tuple((case, PIPELINES[name].run(case)) for case in cases(PIPELINES[name], seed))


def asked(pipeline: Pipeline, stage: Stage, seeds: Sequence[int] = SEEDS) -> list[tuple[Case, Trace]]:
    """The cases of several seeds that ask the stage."""
    return [
        (case, trace)
        for seed in seeds
        for case, trace in traces(pipeline.name, seed)
        if pipeline.asks(stage, case)
    ]


def alone(stage: Stage, mistake: Mistake, trace: Trace) -> Outcome:
    """What the stage gives with the mistake in it, or the type of what it raises."""
    try:
        return mistake.output(stage, trace)
    except Exception as error:  # noqa: BLE001 - whatever a wrong variant raises is its outcome
        return Raised(type(error).__name__)


def right(stage: Stage, trace: Trace) -> Value:
    values = tuple(trace[name] for name in stage.gives)
    return values[0] if len(values) == 1 else values


def forward(pipeline: Pipeline, mistake: Mistake | None, case: Case) -> Outcome:
    """What a whole ``forward`` returns with the mistake in one of its stages."""
    assert pipeline.module is not None
    result = pipeline.module.result
    try:
        return pipeline.run(case, [mistake] if mistake else [], until=result)[result]
    except Exception as error:  # noqa: BLE001 - whatever a wrong variant leads to is its outcome
        return Raised(type(error).__name__)


def same(one: object, other: object) -> bool:
    """Equal within torch's tolerances; type, shape and dtype must agree, and NaN equals NaN."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        return torch.allclose(one, other, rtol=1.3e-6, atol=1e-5, equal_nan=True)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


def same_everywhere(one: Iterable[Outcome], other: Iterable[Outcome]) -> bool:
    return all(same(a, b) for a, b in zip(one, other, strict=True))


def groups(outcomes: Iterable[tuple[str, Sequence[Outcome]]]) -> list[tuple[str, ...]]:
    """The names whose outcomes agree on every case, in order; those that stand alone are left out."""
    found: list[tuple[list[str], Sequence[Outcome]]] = []
    for name, given in outcomes:
        for members, known in found:
            if same_everywhere(known, given):
                members.append(name)
                break
        else:
            found.append(([name], given))
    return [tuple(members) for members, _ in found if len(members) > 1]


def alternatives(pipeline: Pipeline, stage: Stage) -> list[tuple[str, ...]]:
    """The stage's mistakes that no drawn case tells apart."""
    drawn = [trace for case, trace in asked(pipeline, stage) if case.kind != Kind.WORKED]
    return groups(
        (mistake.name, [alone(stage, mistake, trace) for trace in drawn])
        for mistake in pipeline.mistakes_of(stage)
    )


def alternatives_in_forward(pipeline: Pipeline) -> list[tuple[str, ...]]:
    """The mistakes, as ``stage: name``, that no drawn case tells apart by what ``forward`` returns."""
    inside = {stage.name: stage for stage in pipeline.stages if stage.of == "forward"}
    drawn = [case for seed in SEEDS for case in cases(pipeline, seed) if case.kind != Kind.WORKED]
    return groups(
        (f"{m.stage}: {m.name}", [forward(pipeline, m, case) for case in drawn])
        for m in pipeline.mistakes
        if m.stage in inside
    )
