"""Cases that a person can follow by hand: few tokens, few dimensions, small whole numbers."""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import count, product

import torch
from torch import Tensor

from stagegrade.pipelines._case import Case, Kind
from stagegrade.pipelines._draw import own_inputs
from stagegrade.pipelines._pipeline import Pipeline
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._value import Shape, Value

MAX_SIZE = 3

Fill = Callable[[tuple[int, ...], int], Tensor]
"""Numbers for one input of a size, the second, third, … input being another."""


def small_cases(pipeline: Pipeline, stage: Stage) -> Iterator[Case]:
    """Small cases that ask ``stage``, the same ones always, the smallest first.

    For a stage of its own they give what it reads; for one inside ``forward`` or for the parameters they give what
    the module is built from, its weights and what ``forward`` reads.
    """
    shapes = _shapes(pipeline, stage)
    dimensions = [d for d in pipeline.dimensions if _matters(d, stage, shapes)]
    turns = range(pipeline.turns if _chooses(pipeline, stage) else 1)
    for sizes in sorted(
        product(range(1, MAX_SIZE + 1), repeat=len(dimensions)), key=_weight(dimensions, shapes)
    ):
        known = dict(zip(dimensions, sizes, strict=True))
        for fill in FILLS if shapes else FILLS[:1]:
            for turn in turns:
                yield small_case(pipeline, stage, known, turn, fill)


def small_case(pipeline: Pipeline, stage: Stage, sizes: Mapping[str, int], turn: int, fill: Fill) -> Case:
    places = count()
    # What plays no part still has to have a size.
    whole = {d: sizes.get(d, 1) for d in pipeline.dimensions}
    if stage.of == "function":
        inputs = own_inputs(pipeline, stage, whole, turn, lambda size: fill(size, next(places)))
        return Case(kind=Kind.SMALL, seed=0, turn=turn, sizes=whole, inputs=inputs, of=stage.name)
    assert pipeline.module is not None
    biases = set(pipeline.module.biases.values())
    drawn: dict[str, Value] = {}
    for name, shape in pipeline.inputs.items():
        size = tuple(d if isinstance(d, int) else whole[d] for d in shape)
        drawn[name] = torch.ones(size) if name in biases else fill(size, next(places))
    return Case(
        kind=Kind.SMALL, seed=0, turn=turn, sizes=whole, inputs={**drawn, **pipeline.choice(turn), **whole}
    )


def shown_inputs(pipeline: Pipeline, stage: Stage) -> tuple[str, ...]:
    """The names of the inputs that a small case of ``stage`` is made of."""
    if stage.of == "function":
        return stage.reads
    assert pipeline.module is not None
    if stage.of == "parameters":
        return pipeline.module.build
    return (*pipeline.module.forward, *pipeline.module.weights)


def _shapes(pipeline: Pipeline, stage: Stage) -> dict[str, Shape]:
    """Of the tensors that it is made of."""
    if stage.of == "parameters":
        return {}
    names = shown_inputs(pipeline, stage)
    made = {name: s for s in pipeline.stages if s.of == "given" for name in s.gives}
    read = [inner for name in names for inner in (made[name].reads if name in made else (name,))]
    return {name: pipeline.shapes[name] for name in read if name in pipeline.shapes}


def _matters(dimension: str, stage: Stage, shapes: Mapping[str, Shape]) -> bool:
    if any(dimension in shape for shape in shapes.values()):
        return True
    return dimension in stage.reads


def _chooses(pipeline: Pipeline, stage: Stage) -> bool:
    made = {name: s for s in pipeline.stages if s.of == "given" for name in s.gives}
    reads = {inner for name in stage.reads for inner in (made[name].reads if name in made else (name,))}
    return bool(reads & set(pipeline.choices))


def _weight(
    dimensions: list[str], shapes: Mapping[str, Shape]
) -> Callable[[tuple[int, ...]], tuple[int, int, tuple[int, ...]]]:
    """How much there is to read: the number of entries, then the sizes."""

    def weigh(sizes: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        known = dict(zip(dimensions, sizes, strict=True))
        entries = sum(math.prod(d if isinstance(d, int) else known[d] for d in s) for s in shapes.values())
        return entries, sum(sizes), sizes

    return weigh


def _counted(size: tuple[int, ...], place: int) -> Tensor:
    return ((torch.arange(math.prod(size)) + place) % 3).float().reshape(size)


def _drawn(seed: int, low: int, high: int, times: int = 1) -> Fill:
    def fill(size: tuple[int, ...], place: int) -> Tensor:
        generator = torch.Generator().manual_seed(seed + place)
        return times * torch.randint(low, high + 1, size, generator=generator).float()

    return fill


FILLS: tuple[Fill, ...] = (
    _counted,
    _drawn(20, 0, 2),
    _drawn(40, -2, 2),
    # What goes wrong with large numbers only.
    _drawn(60, -2, 2, times=100),
)
