"""Which mistakes of the catalogue reproduce what a student's code gave."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from stagegrade.diagnosis._compare import alike
from stagegrade.diagnosis._errors import Likeness, likeness
from stagegrade.diagnosis._outcome import Answered, Failed
from stagegrade.diagnosis._trial import Trial
from stagegrade.pipelines import Mistake, Pipeline, Stage

Candidate = TypeVar("Candidate")


def matching(pipeline: Pipeline, stage: Stage, trials: Sequence[Trial]) -> tuple[Mistake, ...]:
    """The stage's mistakes whose output is the student's on every case, in the catalogue's order."""
    known = [mistake for mistake in pipeline.mistakes_of(stage) if not mistake.remark]
    return tuple(best(known, lambda mistake, trial: mistake.output(stage, trial.trace), trials))


def best(
    candidates: Sequence[Candidate],
    output: Callable[[Candidate, Trial], Any],
    trials: Sequence[Trial],
) -> list[Candidate]:
    """Of those that reproduce every outcome the ones that do so most exactly, in their order.

    ``output`` gives what a candidate comes to on a case; it raises what the candidate raises.
    """
    fits = [(candidate, fit(lambda trial, c=candidate: output(c, trial), trials)) for candidate in candidates]  # type: ignore[misc]
    most = max((found for _, found in fits), default=Likeness.NONE)
    return [candidate for candidate, found in fits if found == most != Likeness.NONE]


def fit(output: Callable[[Trial], Any], trials: Sequence[Trial]) -> Likeness:
    """How exactly ``output`` gives every outcome: equal values, and like errors where one was raised."""
    least = Likeness.SAME
    some_value = False
    for trial in trials:
        try:
            expected = output(trial)
        except Exception as error:  # noqa: BLE001 - a mistake raises what wrong code raises
            found = likeness(error, trial.alone) if isinstance(trial.alone, Failed) else Likeness.NONE
            least = min(least, found)
        else:
            if not isinstance(trial.alone, Answered) or not alike(expected, trial.alone.value):
                return Likeness.NONE
            some_value = True
        if least == Likeness.NONE:
            break
    # That sizes clash somehow says too little where there is nothing but errors.
    return least if some_value or (trials and least > Likeness.KIND) else Likeness.NONE
