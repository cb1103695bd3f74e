"""Two mistakes of different stages in one ``forward``, drawn from a seed."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from typing import Any

from stagegrade.bench._sample import Sample, Wrong
from stagegrade.bench._samples import module_sample, text_of
from stagegrade.bench._student_code import FORWARD_STYLES
from stagegrade.diagnosis import alike
from stagegrade.pipelines import Case, Mistake, Pipeline, cases

_OF_ONE_SEED = 200


def pairs(pipeline: Pipeline, seed: int) -> Iterator[Sample]:
    """Pairs without end, each in some style, of which both show in what ``forward`` gives.

    Where one mistake hides the other, as a mean of the values hides the weights, or where one mistake alone would
    give the same, nobody could find both.
    """
    rng = random.Random(seed)
    known = [mistake for stage in pipeline.inside for mistake in pipeline.mistakes_of(stage)]
    same_text = _same_text(pipeline, known)
    for of_cases in count(1000 * seed):
        yield from islice(_showing(pipeline, known, same_text, rng, of_cases), _OF_ONE_SEED)


def _showing(
    pipeline: Pipeline,
    known: Sequence[Mistake],
    same_text: Mapping[tuple[str, str, str], Sequence[Mistake]],
    rng: random.Random,
    seed: int,
) -> Iterator[Sample]:
    """Pairs of which both show on the cases of a seed."""
    drawn = cases(pipeline, seed)
    fewer = [_outcomes(pipeline, some, drawn) for some in [(), *((mistake,) for mistake in known)]]
    while True:
        pair = _in_order(pipeline, rng.sample(known, 2))
        style = rng.choice(list(FORWARD_STYLES))
        if pair[0].stage == pair[1].stage:
            continue
        sample = module_sample(pipeline, _wrong(pair), style)
        if sample is None:
            continue
        outcomes = _outcomes(pipeline, pair, drawn)
        if any(_same(outcomes, some) for some in fewer):
            continue
        others = [
            _wrong(_in_order(pipeline, (kept, other)))
            for one, kept in (pair, pair[::-1])
            for other in same_text.get((style, one.stage, one.name), ())
            if other.stage != kept.stage
        ]
        yield replace(sample, readings=(*sample.readings, *others), seed=seed)


def _same_text(pipeline: Pipeline, known: Sequence[Mistake]) -> Mapping[tuple[str, str, str], list[Mistake]]:
    """By style, stage and name: the mistakes of other stages that, alone, come to the very same text."""
    texts: dict[tuple[str, str], list[Mistake]] = {}
    for style in FORWARD_STYLES:
        for mistake in known:
            made = module_sample(pipeline, ((mistake.stage, mistake.name),), style)
            if made is not None:
                texts.setdefault((style, text_of(made.code)), []).append(mistake)
    return {
        (style, one.stage, one.name): [other for other in some if other.stage != one.stage]
        for (style, _), some in texts.items()
        for one in some
    }


def _in_order(pipeline: Pipeline, mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    order = [stage.name for stage in pipeline.inside]
    return tuple(sorted(mistakes, key=lambda mistake: order.index(mistake.stage)))


def _wrong(mistakes: Iterable[Mistake]) -> Wrong:
    return tuple((mistake.stage, mistake.name) for mistake in mistakes)


def _outcomes(pipeline: Pipeline, mistakes: Sequence[Mistake], drawn: Sequence[Case]) -> list[Any]:
    assert pipeline.module is not None
    result = pipeline.module.result
    found: list[Any] = []
    for case in drawn:
        try:
            found.append(pipeline.run(case, mistakes, until=result)[result])
        except Exception as error:  # noqa: BLE001 - a mistake raises what wrong code raises
            found.append(type(error))
    return found


def _same(some: Sequence[Any], others: Sequence[Any]) -> bool:
    return all(
        one == other if isinstance(one, type) or isinstance(other, type) else alike(one, other)
        for one, other in zip(some, others, strict=True)
    )
