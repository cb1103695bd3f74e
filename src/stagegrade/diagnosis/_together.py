"""Searches for several mistakes in one ``forward`` that together give what it gave, where nothing else shows them.

Every combination is computed beforehand, on one small case that is the same for everybody, so that a search is
one question and one comparison. All combinations that have tensors of the same shapes at a stage are computed at
once, as a batch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import torch
from torch import Tensor

from stagegrade.diagnosis._compare import ATOL, LOOSE_RTOL
from stagegrade.diagnosis._errors import likeness
from stagegrade.diagnosis._outcome import Answered, Failed, Outcome
from stagegrade.pipelines import Case, Kind, Mistake, Pipeline, Stage, Value, draw

MOST = 3
"""How many mistakes are looked for at once."""
MAX_ENTRIES = 20_000_000
"""Where more numbers than this would have to be held at once, the search is given up."""
MAX_FOUND = 1000
"""How many combinations, the smallest first, are worth a closer look."""
_SEEDS = range(50)

_Set: TypeAlias = tuple[Mistake, ...]


@dataclass(frozen=True)
class _Group:
    """Combinations whose values have the same shapes: the values stacked, and which combination each row is.

    ``chosen`` (rows, stages) has for each stage so far 0 where it is right, and else the number of its mistake.
    """

    count: int
    pending: _Set
    """Mistakes that also make something of later stages; the same in all rows."""
    chosen: Tensor
    values: dict[str, Tensor]


class Combinations:
    """What every combination of at most ``MOST`` mistakes, in different stages, comes to on one case."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.case = _smallest_case(pipeline)
        self._pipeline = pipeline
        self._results: list[tuple[Tensor, Tensor]] = []
        self._errors: list[tuple[Exception, Tensor]] = []
        self._compute()

    def leading_to(self, outcome: Outcome) -> list[_Set]:
        """Those that give this outcome of the case, the ones of the fewest mistakes first."""
        found: list[Tensor] = []
        if isinstance(outcome, Failed):
            found = [chosen for error, chosen in self._errors if likeness(error, outcome)]
        elif isinstance(outcome, Answered) and isinstance(outcome.value, Tensor):
            found = [
                chosen[rows]
                for results, chosen in self._results
                if len(rows := _equal(results, outcome.value))
            ]
        sets = [self._mistakes(row) for chosen in found for row in chosen.tolist()]
        return sorted(sets, key=len)[:MAX_FOUND]

    def _mistakes(self, row: Sequence[int]) -> _Set:
        stages = self._pipeline.inside
        return tuple(
            self._pipeline.mistakes_of(stage)[number - 1]
            for stage, number in zip(stages, row, strict=False)
            if number
        )

    def _compute(self) -> None:
        stages = self._pipeline.inside
        assert self._pipeline.module is not None
        groups = [_Group(0, (), torch.zeros(1, 0, dtype=torch.int16), {})]
        for number, stage in enumerate(stages, start=1):
            further: list[_Group] = []
            for group in groups:
                for place, option in self._options(stage, group):
                    chosen = torch.nn.functional.pad(group.chosen, (0, 1), value=place)
                    try:
                        further.append(self._extended(stage, group, chosen, option))
                    except Exception as error:  # noqa: BLE001 - a mistake raises what wrong code raises
                        self._errors.append((error.with_traceback(None), chosen))
            groups = _merged([self._with_what_is_read(group, stages[number:]) for group in further])
            if sum(t.numel() for group in groups for t in group.values.values()) > MAX_ENTRIES:
                return
        self._results = [(group.values[self._pipeline.module.result], group.chosen) for group in groups]

    def _with_what_is_read(self, group: _Group, stages: Sequence[Stage]) -> _Group:
        """Of a group's values those that the later ``stages`` may read: all, as long as mistakes can be added."""
        assert self._pipeline.module is not None
        if stages and (group.count < MOST or group.pending):
            return group
        read = {self._pipeline.module.result, *(name for stage in stages for name in stage.reads)}
        values = {name: value for name, value in group.values.items() if name in read}
        return _Group(group.count, group.pending, group.chosen, values)

    def _options(self, stage: Stage, group: _Group) -> Iterator[tuple[int, _Set]]:
        yield 0, ()
        if group.count < MOST:
            yield from ((i, (m,)) for i, m in enumerate(self._pipeline.mistakes_of(stage), start=1))

    def _extended(self, stage: Stage, group: _Group, chosen: Tensor, option: _Set) -> _Group:
        mistakes = (*group.pending, *option)

        def compute(values: dict[str, Tensor]) -> dict[str, Value]:
            return stage.named(self._pipeline.output(stage, {**self.case.inputs, **values}, mistakes))

        if group.values:
            names = list(group.values)
            at_once: Any = torch.vmap(lambda *rows: compute(dict(zip(names, rows, strict=True))))
            made: dict[str, Tensor] = at_once(*group.values.values())
        else:
            made = {name: _tensor(value).unsqueeze(0) for name, value in compute({}).items()}
        pending = (*group.pending, *(mistake for mistake in option if mistake.later))
        return _Group(group.count + len(option), pending, chosen, group.values | made)


_known: dict[str, tuple[Pipeline, Combinations]] = {}


def combinations_of(pipeline: Pipeline) -> Combinations:
    """Computed once for a pipeline; that takes about half a second."""
    known = _known.get(pipeline.name)
    if known is None or known[0] is not pipeline:
        known = _known[pipeline.name] = (pipeline, Combinations(pipeline))
    return known[1]


def _smallest_case(pipeline: Pipeline) -> Case:
    """A batch, where there can be one: some mistakes show only there."""
    batched = any(stage.batched for stage in pipeline.inside)
    drawn = [draw(pipeline, Kind.BATCHED if batched else Kind.RECTANGULAR, seed) for seed in _SEEDS]
    return min(drawn, key=lambda case: sum(t.numel() for t in case.inputs.values() if isinstance(t, Tensor)))


def _tensor(value: Value) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError("a stage inside forward gives tensors")
    return value


def _merged(groups: Sequence[_Group]) -> list[_Group]:
    """One group for each form of values, so that a stage is computed once for all of them."""

    def form(group: _Group) -> tuple[Any, ...]:
        shapes = tuple((name, tuple(t.shape[1:]), str(t.dtype)) for name, t in group.values.items())
        return group.count, tuple(mistake.name for mistake in group.pending), shapes

    merged = []
    for _, alike in groupby(sorted(groups, key=form), key=form):
        some = list(alike)
        values = {name: torch.cat([group.values[name] for group in some]) for name in some[0].values}
        chosen = torch.cat([group.chosen for group in some])
        merged.append(_Group(some[0].count, some[0].pending, chosen, values))
    return merged


def _equal(results: Tensor, wanted: Tensor) -> Tensor:
    """The rows of ``results`` that are the tensor wanted."""
    if wanted.is_complex() or results.shape[1:] != wanted.shape:
        return torch.zeros(0, dtype=torch.long)
    one, other = results.double(), wanted.double()
    close = torch.isclose(one, other, rtol=LOOSE_RTOL, atol=ATOL)
    close |= ~torch.isfinite(one) & ~torch.isfinite(other)
    return close.reshape(len(close), -1).all(dim=1).nonzero().flatten()
