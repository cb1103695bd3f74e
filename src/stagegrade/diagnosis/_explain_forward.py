"""Finds the mistakes of the catalogue that explain what a whole ``forward`` gave."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import torch
from torch import Tensor

from stagegrade.diagnosis._apart import further_cases, telling_apart
from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._guided import Path, follow, is_only_turned, right_was_made
from stagegrade.diagnosis._made import Made
from stagegrade.diagnosis._match import best
from stagegrade.diagnosis._names import names_agree
from stagegrade.diagnosis._outcome import Answered
from stagegrade.diagnosis._together import combinations_of
from stagegrade.diagnosis._trial import Ask, Trial
from stagegrade.pipelines import Case, Mistake, Pipeline, Stage, Trace, Value

Together: TypeAlias = tuple[Mistake, ...]
"""Mistakes of different stages, made at once, in the order of the stages."""


def by_what_was_seen(
    pipeline: Pipeline, trials: Sequence[Trial], telling: Trial, made: Made
) -> tuple[list[Together], list[Path]]:
    """Single mistakes that give every outcome, or else several that the tensors lead to; and the ways followed.

    ``telling`` is one of ``trials`` that is wrong, and ``made`` is what was seen in it.
    """
    alone = [(mistake,) for stage in pipeline.inside for mistake in pipeline.mistakes_of(stage)]
    found = _fitting(pipeline, alone, _first(telling, trials))
    if found and isinstance(telling.alone, Answered):
        return found, []
    ends, paths = follow(pipeline, telling, made)
    several = _fitting(pipeline, ends, _first(telling, trials))
    if not found or not several:
        return found or several, paths
    # An error alone says little: those count that account for what was made before it.
    accounts = {one: _accounts(pipeline, one, telling, made) for one in [*found, *several]}
    most = max(accounts.values())
    left = [one for one in accounts if accounts[one] == most]
    return [one for one in left if len(one) == min(len(one) for one in left)], paths


def by_search(
    pipeline: Pipeline, trials: Sequence[Trial], telling: Trial, made: Made, ask: Ask, most: int
) -> list[Together]:
    """At most so many mistakes that together give every outcome, however little was seen."""
    known = combinations_of(pipeline)
    asked = ask([known.case])
    if not asked:
        return []
    few = [one for one in known.leading_to(asked[0].alone) if len(one) <= most]
    likely = [one for one in few if _is_plausible(pipeline, one, telling, made)]
    return _fitting(pipeline, likely, _first(telling, trials))


def likeliest(
    pipeline: Pipeline, sets: list[Together], trials: Sequence[Trial], telling: Trial, made: Made, ask: Ask
) -> list[Together]:
    """Of ``sets`` those that no further case and nothing that was seen tells apart, the likeliest first."""
    if len(sets) > 1:
        sets = _told_apart(pipeline, sets, trials, ask)
    return _agreeing(pipeline, sets, telling, made) if len(sets) > 1 else sets


def _is_plausible(pipeline: Pipeline, one: Together, telling: Trial, made: Made) -> bool:
    """Whether no stage was seen to give its right values as they are, and those of the mistakes only turned round."""
    wrong = False
    for stage, before, values in steps(pipeline, telling.case, one):
        wrong = wrong or any(mistake.stage == stage.name for mistake in one)
        if (
            wrong
            and stage is not pipeline.inside[-1]
            and is_only_turned(stage, before, values, telling, made)
        ):
            return False
    return True


def _first(telling: Trial, trials: Sequence[Trial]) -> list[Trial]:
    """The telling case first: after one comparison most of what does not fit is out."""
    return [telling, *(trial for trial in trials if trial is not telling)]


def result_of(pipeline: Pipeline, case: Case, mistakes: Together) -> Value:
    """What ``forward`` returns with these mistakes; raises what it would raise."""
    assert pipeline.module is not None
    return pipeline.run(case, mistakes, until=pipeline.module.result)[pipeline.module.result]


def result_with(pipeline: Pipeline, right: Trace, mistakes: Together) -> Value:
    """The same for a case of which the right values are known: it begins at the first that is wrong."""
    assert pipeline.module is not None
    wrong = {mistake.stage for mistake in mistakes}
    first = next((i for i, stage in enumerate(pipeline.inside) if stage.name in wrong), len(pipeline.inside))
    trace = dict(right)
    for stage in pipeline.inside[first:]:
        trace |= stage.named(pipeline.output(stage, trace, mistakes))
    return trace[pipeline.module.result]


def steps(
    pipeline: Pipeline, case: Case, mistakes: Together
) -> Iterator[tuple[Stage, Trace, dict[str, Value]]]:
    """Stage by stage as far as nothing raises: the trace before it, and what it gives with the mistakes in it."""
    trace: dict[str, Value] = dict(case.inputs)
    for stage in pipeline.inside:
        try:
            values = stage.named(pipeline.output(stage, trace, mistakes))
        except Exception:  # noqa: BLE001 - a mistake raises what wrong code raises
            return
        yield stage, dict(trace), values
        trace |= values


def _fitting(pipeline: Pipeline, sets: Sequence[Together], trials: Sequence[Trial]) -> list[Together]:
    """Those of the fewest mistakes that give every outcome; none where there is nothing but NaN to be seen."""
    if all(isinstance(trial.alone, Answered) and not _has_numbers(trial.alone.value) for trial in trials):
        return []
    for size in sorted({len(one) for one in sets}):
        of_size = list(dict.fromkeys(one for one in sets if len(one) == size))
        found = best(of_size, lambda one, trial: result_with(pipeline, trial.trace, one), trials)
        if found:
            return found
    return []


def _has_numbers(value: object) -> bool:
    return not isinstance(value, Tensor) or bool(torch.isfinite(value).any())


def _told_apart(
    pipeline: Pipeline, sets: Sequence[Together], trials: Sequence[Trial], ask: Ask
) -> list[Together]:
    seed = max(trial.case.seed for trial in trials)
    chosen = telling_apart(
        sets, lambda one, case: result_of(pipeline, case, one), further_cases(pipeline, None, seed)
    )
    more = list(ask(chosen)) if chosen else []
    if not more:
        return list(sets)
    return best(sets, lambda one, trial: result_with(pipeline, trial.trace, one), more)


def _agreeing(pipeline: Pipeline, sets: Sequence[Together], telling: Trial, made: Made) -> list[Together]:
    """Those that agree best with the tensors that were made and the names they bore, the likeliest first."""
    scores = {one: _agreement(pipeline, one, telling, made) for one in sets}
    most = max(score[:3] for score in scores.values())
    remaining = [one for one in sets if scores[one][:3] == most]
    return sorted(remaining, key=lambda one: -scores[one][3])


def _agreement(
    pipeline: Pipeline, one: Together, telling: Trial, made: Made
) -> tuple[Fraction, int, int, int]:
    """How well a set agrees with what was seen; larger is better, the first number counts most.

    Stages whose values were seen, less those whose were not; names that stand for what the set says they do; values
    that were seen and not turned round, less stages that are blamed although their right values were made as
    well; values made in the order in which a stage gives them.
    """
    straight = 0
    given: dict[str, Value] = {}
    for stage, before, values in steps(pipeline, telling.case, one):
        straight += all(made.holds_straight(value) for value in values.values())
        given |= values
        if any(mistake.stage == stage.name for mistake in one):
            straight -= right_was_made(stage, before, made)
    seen = _accounts(pipeline, one, telling, made)
    return seen, names_agree(given, made), straight, -_out_of_order(pipeline, given, made)


def _accounts(pipeline: Pipeline, one: Together, telling: Trial, made: Made) -> Fraction:
    """How many stages of a set were seen to give what it says, less those that were not; some may be in part."""
    seen = Fraction(0)
    for _, _, values in steps(pipeline, telling.case, one):
        held = sum(made.holds(value, loose=True) for value in values.values())
        seen += Fraction(2 * held - len(values), len(values))
    return seen


def _out_of_order(pipeline: Pipeline, given: Trace, made: Made) -> int:
    """How many values of a stage were made before one that the stage gives first."""
    count = 0
    for stage in pipeline.inside:
        places = [_place(given[name], made) for name in stage.gives if name in given]
        order = [place for place in places if place is not None]
        count += sum(one > other for i, one in enumerate(order) for other in order[i + 1 :])
    return count


def _place(value: Value, made: Made) -> int | None:
    if not isinstance(value, Tensor):
        return None
    for place, tensor in enumerate(made.tensors):
        if tensor.numel() == value.numel() and same(value.squeeze(), tensor.squeeze()):
            return place
    return None
