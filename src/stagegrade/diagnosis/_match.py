"""Which mistakes of the catalogue reproduce what a student's code gave."""

from collections.abc import Callable, Sequence
from typing import Any

from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._outcome import Answered, Failed, Outcome
from stagegrade.diagnosis._trial import Trial
from stagegrade.pipelines import Mistake, Pipeline, Stage


def matching(pipeline: Pipeline, stage: Stage, trials: Sequence[Trial]) -> tuple[Mistake, ...]:
    """The stage's mistakes whose output is the student's on every case, in the catalogue's order."""
    return tuple(
        mistake
        for mistake in pipeline.mistakes_of(stage)
        if reproduces(
            lambda trial, mistake=mistake: mistake.output(stage, trial.trace),  # type: ignore[misc]
            [(trial, trial.alone) for trial in trials],
        )
    )


def reproduces(variant: Callable[[Trial], Any], observed: Sequence[tuple[Trial, Outcome]]) -> bool:
    """Whether ``variant`` gives every outcome: equal values, and an error of the same type where one was raised.

    Errors alone prove nothing: at least one outcome must be a value.
    """
    some_value = False
    for trial, outcome in observed:
        try:
            expected = variant(trial)
        except Exception as error:  # noqa: BLE001 - a mistake raises what wrong code raises
            if isinstance(outcome, Failed) and outcome.error == type(error).__name__:
                continue
            return False
        if not isinstance(outcome, Answered) or not same(expected, outcome.value, nan_equal=True):
            return False
        some_value = True
    return some_value
