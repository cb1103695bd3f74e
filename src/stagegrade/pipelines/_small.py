"""Cases that a person can follow by hand: few rows, few columns, small whole numbers."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import count, product

import torch
from torch import Tensor

from stagegrade.pipelines._case import Case, Kind
from stagegrade.pipelines._draw import chooser_of, own_inputs
from stagegrade.pipelines._pipeline import Pipeline
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._value import Shape, Value

MAX_SIZE = 3
BATCH = (2,)

Fill = Callable[[tuple[int, ...], int], Tensor]
"""Numbers for one input of a size, the second, third, … input being another."""


def small_cases(pipeline: Pipeline, stage: Stage, *, batched: bool = False) -> Iterator[Case]:
    """Small cases that ask ``stage``, the same ones always, the smallest first.

    For a stage of its own they give what it reads; for one inside ``forward`` or for the parameters they give what
    the module is built from, its weights and what ``forward`` reads, ``batched`` with a batch in front.
    """
    read = _read(pipeline, stage)
    shapes = {name: pipeline.shapes[name] for name in read if name in pipeline.shapes}
    dimensions = [d for d in pipeline.dimensions if _matters(d, stage, shapes)]
    turns = range(pipeline.turns if set(read) & set(pipeline.choices) else 1)
    for sizes in sorted(
        product(range(1, MAX_SIZE + 1), repeat=len(dimensions)), key=_weight(dimensions, shapes)
    ):
        known = dict(zip(dimensions, sizes, strict=True))
        for fill in FILLS if shapes else FILLS[:1]:
            for turn in turns:
                # There may be too few rows to make what a choice asks for.
                with suppress(IndexError):
                    yield small_case(pipeline, stage, known, turn, fill, BATCH if batched else ())


def small_case(
    pipeline: Pipeline,
    stage: Stage,
    sizes: Mapping[str, int],
    turn: int,
    fill: Fill,
    batch: tuple[int, ...] = (),
) -> Case:
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
        if name in biases:
            drawn[name] = torch.ones(size)
        else:
            in_front = batch if name in pipeline.module.forward else ()
            drawn[name] = fill(in_front + size, next(places))
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


def _read(pipeline: Pipeline, stage: Stage) -> list[str]:
    """What it is made of, choices and what they are applied to among it."""
    if stage.of == "parameters":
        return []
    makers = {name: chooser_of(pipeline, name) for name in shown_inputs(pipeline, stage)}
    return [inner for name, maker in makers.items() for inner in (maker.reads if maker else (name,))]


def _matters(dimension: str, stage: Stage, shapes: Mapping[str, Shape]) -> bool:
    return dimension in stage.reads or any(dimension in shape for shape in shapes.values())


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
