"""Searches for several mistakes in one ``forward`` that together give what it gave, where nothing else shows them.

Every combination is computed: all that have tensors of the same shapes at a stage are computed at once, as a batch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import torch
from torch import Tensor

from stagegrade.diagnosis._compare import ATOL, LOOSE_RTOL
from stagegrade.diagnosis._errors import likeness
from stagegrade.diagnosis._outcome import Answered, Failed
from stagegrade.diagnosis._trial import Trial
from stagegrade.pipelines import Mistake, Pipeline, Stage, Value

MAX_ENTRIES = 40_000_000
"""Where more numbers than this would have to be held at once, the search is given up."""

_Set: TypeAlias = tuple[Mistake, ...]


@dataclass
class _Group:
    """Combinations whose values have the same shapes: the values stacked, and which combination each row is."""

    sets: list[_Set]
    values: dict[str, Tensor]


def together(pipeline: Pipeline, trial: Trial, most: int) -> list[_Set]:
    """The sets of at most ``most`` mistakes, in different stages, that lead to the outcome of ``trial``."""
    found: list[_Set] = []
    groups = [_Group([()], {})]
    stages = pipeline.inside
    for number, stage in enumerate(stages, start=1):
        further: list[_Group] = []
        for group in groups:
            for option in _options(pipeline, stage, group, most):
                try:
                    further.append(_extended(pipeline, stage, trial, group, option))
                except Exception as error:  # noqa: BLE001 - a mistake raises what wrong code raises
                    if isinstance(trial.alone, Failed) and likeness(error, trial.alone):
                        found += [(*one, *option) for one in group.sets]
        if number == len(stages):
            found += [one for group in further for one in _equal(pipeline, group, trial)]
            break
        groups = _merged([_with_what_is_read(group, stages[number:], most) for group in further], most)
        if sum(t.numel() for group in groups for t in group.values.values()) > MAX_ENTRIES:
            break
    return sorted(found, key=len)


def _with_what_is_read(group: _Group, stages: Sequence[Stage], most: int) -> _Group:
    """Where no mistake can be added any more, only what the references of the later ``stages`` read."""
    if len(group.sets[0]) < most or any(mistake.later for mistake in group.sets[0]):
        return group
    read = {name for stage in stages for name in stage.reads}
    return _Group(group.sets, {name: value for name, value in group.values.items() if name in read})


def _options(pipeline: Pipeline, stage: Stage, group: _Group, most: int) -> Iterator[_Set]:
    yield ()
    one = group.sets[0]
    if len(one) < most:
        yield from ((mistake,) for mistake in pipeline.mistakes_of(stage))


def _extended(pipeline: Pipeline, stage: Stage, trial: Trial, group: _Group, option: _Set) -> _Group:
    sets = [(*one, *option) for one in group.sets]
    # What an earlier mistake makes of this stage is the same for the whole group: ``_merged`` sees to it.
    mistakes = sets[0]

    def compute(values: dict[str, Tensor]) -> dict[str, Value]:
        return stage.named(pipeline.output(stage, {**trial.case.inputs, **values}, mistakes))

    if not group.values:
        return _Group(sets, {name: _tensor(value).unsqueeze(0) for name, value in compute({}).items()})
    names = list(group.values)
    at_once: Any = torch.vmap(lambda *rows: compute(dict(zip(names, rows, strict=True))))
    made: dict[str, Tensor] = at_once(*group.values.values())
    return _Group(sets, group.values | made)


def _tensor(value: Value) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError("a stage inside forward gives tensors")
    return value


def _merged(groups: Sequence[_Group], most: int) -> list[_Group]:
    """One group for each form of values, so that a stage is computed once for all of them."""

    def form(group: _Group) -> tuple[Any, ...]:
        one = group.sets[0]
        shapes = tuple((name, tuple(t.shape[1:]), str(t.dtype)) for name, t in group.values.items())
        pending = tuple(mistake.name for mistake in one if mistake.later)
        return len(one) == most, len(one), pending, shapes

    merged = []
    for _, alike in groupby(sorted(groups, key=form), key=form):
        some = list(alike)
        values = {name: torch.cat([group.values[name] for group in some]) for name in some[0].values}
        merged.append(_Group([one for group in some for one in group.sets], values))
    return merged


def _equal(pipeline: Pipeline, group: _Group, trial: Trial) -> list[_Set]:
    """The sets whose result is the outcome."""
    assert pipeline.module is not None
    results = group.values[pipeline.module.result]
    if not isinstance(trial.alone, Answered) or not isinstance(trial.alone.value, Tensor):
        return []
    if trial.alone.value.is_complex():
        return []
    wanted = trial.alone.value.double()
    if results.shape[1:] != wanted.shape:
        return []
    close = torch.isclose(results.double(), wanted, rtol=LOOSE_RTOL, atol=ATOL, equal_nan=True)
    rows = close.reshape(len(close), -1).all(dim=1).nonzero().flatten().tolist()
    return [group.sets[row] for row in rows]
