"""Draws the cases of a pipeline: the same for the same seed, whatever was drawn before."""

import random
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from stagegrade.pipelines._case import Case, Kind
from stagegrade.pipelines._pipeline import Pipeline
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._value import Shape, Value

# Three at least: ``keys[2]`` must exist to be told apart from ``keys[1]``.
SIZES = (3, 4, 5, 6, 7, 8)
RECTANGULAR_CASES = 3
"""As many as tell all mistakes apart: with five, ``stagegrade bench attribution`` names the same."""
BATCH = 2


def cases(pipeline: Pipeline, seed: int) -> tuple[Case, ...]:
    """The worked example, then seeded cases of every kind that the pipeline allows."""
    kinds = [Kind.RECTANGULAR] * RECTANGULAR_CASES
    if any(stage.batched for stage in pipeline.stages):
        kinds.append(Kind.BATCHED)
    kinds.append(Kind.LARGE)
    # Stages that are not batched must see every choice without the batched case.
    whole = 1 + sum(kind != Kind.BATCHED for kind in kinds)
    kinds += [Kind.RECTANGULAR] * max(0, pipeline.turns - whole)
    drawn = []
    turn = 0
    for place, kind in enumerate(kinds, start=1):
        turn += kind != Kind.BATCHED
        drawn.append(draw(pipeline, kind, seed + place, turn))
    return (worked_case(pipeline), *drawn)


def worked_case(pipeline: Pipeline) -> Case:
    inputs = dict(pipeline.worked())
    sizes: dict[str, int] = {}
    for name, shape in pipeline.inputs.items():
        for dimension, size in zip(shape, inputs[name].shape, strict=True):
            if isinstance(dimension, str):
                sizes[dimension] = int(size)
    return Case(kind=Kind.WORKED, seed=0, sizes=sizes, inputs={**inputs, **pipeline.choice(0), **sizes})


def draw(pipeline: Pipeline, kind: Kind, seed: int, turn: int = 0) -> Case:
    """A case of ``kind`` that begins at the pipeline's beginning; ``turn`` says which of the choices it has."""
    if kind == Kind.WORKED:
        return worked_case(pipeline)
    generator = torch.Generator().manual_seed(seed)
    sizes = _sizes(pipeline, kind, seed)
    weights: set[str] = set()
    if pipeline.module is not None:
        weights = {*pipeline.module.weights, *pipeline.module.biases.values()}
    inputs: dict[str, Value] = {}
    for name, shape in pipeline.inputs.items():
        batch = (BATCH,) if kind == Kind.BATCHED and name not in weights else ()
        inputs[name] = _numbers(batch + _size(shape, sizes), kind, generator)
    return Case(
        kind=kind, seed=seed, turn=turn, sizes=sizes, inputs={**inputs, **pipeline.choice(turn), **sizes}
    )


def draw_free(pipeline: Pipeline, stage: Stage, seed: int, turn: int = 0) -> Case:
    """The inputs of one stage alone, whatever earlier stages could give."""
    generator = torch.Generator().manual_seed(seed)
    sizes = _sizes(pipeline, Kind.FREE, seed)
    inputs = own_inputs(pipeline, stage, sizes, turn, lambda size: _numbers(size, Kind.FREE, generator))
    return Case(kind=Kind.FREE, seed=seed, turn=turn, sizes=sizes, inputs=inputs, of=stage.name)


def own_inputs(
    pipeline: Pipeline,
    stage: Stage,
    sizes: Mapping[str, int],
    turn: int,
    numbers: Callable[[tuple[int, ...]], Tensor],
) -> dict[str, Value]:
    """What one stage reads, from ``numbers``; what a choice decides is made by its own reference."""
    known: dict[str, Value] = {**pipeline.choice(turn), **sizes}

    def give(reader: Stage) -> None:
        for name in reader.reads:
            if name in known:
                continue
            maker = chooser_of(pipeline, name)
            if maker is None:
                known[name] = numbers(_size(pipeline.shapes[name], sizes))
            else:
                give(maker)
                known.update(maker.named(maker.reference(**maker.arguments(known))))

    give(stage)
    return known


def chooser_of(pipeline: Pipeline, name: str) -> Stage | None:
    """The stage that makes a value out of one of the choices, where nobody is asked for it."""
    for stage in pipeline.stages:
        if stage.of == "given" and name in stage.gives and set(stage.reads) & set(pipeline.choices):
            return stage
    return None


def _size(shape: Shape, sizes: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(d if isinstance(d, int) else sizes[d] for d in shape)


def _sizes(pipeline: Pipeline, kind: Kind, seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    fixed = dict(pipeline.exact_sizes) if kind == Kind.LARGE else {}
    free = [d for d in pipeline.dimensions if d not in fixed]
    spare = [size for size in SIZES if size not in fixed.values()]
    return fixed | dict(zip(free, rng.sample(spare, len(free)), strict=True))


def _numbers(size: tuple[int, ...], kind: Kind, generator: torch.Generator) -> Tensor:
    if kind == Kind.LARGE:
        # Whole, and small enough for every product and sum to be exact in float32; large enough for the
        # exponential of a score to overflow there.
        return torch.randint(-12, 13, size, generator=generator).float()
    return torch.rand(size, generator=generator) * 2.4 - 1.2
