"""Judges a module by the weights it made itself, where it has none that could be set."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

from torch import Tensor

from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._made import Made
from stagegrade.diagnosis._outcome import Answered
from stagegrade.diagnosis._trial import Trial
from stagegrade.pipelines import Case, Pipeline, Trace

MAX_READINGS = 300


def with_own_weights(pipeline: Pipeline, trial: Trial, made: Made) -> Trial | None:
    """The same trial as if its own weights had been the case's; ``None`` where it is not seen which those are.

    Of several ways to read them the one that makes the outcome right, else the first, in the order in which
    they were made, with which the first stage's values are seen.
    """
    assert pipeline.module is not None
    first = pipeline.inside[0]
    seen: Trial | None = None
    for case in islice(_readings(pipeline, trial, made), MAX_READINGS):
        try:
            trace: Trace = pipeline.run(case, until=pipeline.module.result)
        except RuntimeError:
            continue
        if not all(made.holds(trace[name]) for name in first.gives):
            continue
        rebased = replace(trial, case=case, trace=trace, unset=())
        if isinstance(trial.alone, Answered) and same(trace[pipeline.module.result], trial.alone.value):
            return rebased
        seen = seen or rebased
    return seen


def _readings(pipeline: Pipeline, trial: Trial, made: Made) -> Iterator[Case]:
    """The case with tensors that were made in the place of the weights that could not be set."""
    given = [value for value in trial.case.inputs.values() if isinstance(value, Tensor)]
    choices = [
        [t for t in made.of_shape(_shape(trial.case, name)) if not any(t.equal(one) for one in given)]
        for name in trial.unset
    ]
    for chosen in product(*choices):
        if len({id(tensor) for tensor in chosen}) == len(chosen):
            weights = dict(zip(trial.unset, chosen, strict=True))
            yield replace(trial.case, inputs={**trial.case.inputs, **weights})


def _shape(case: Case, name: str) -> tuple[int, ...]:
    value = case.inputs[name]
    assert isinstance(value, Tensor)
    return tuple(value.shape)
