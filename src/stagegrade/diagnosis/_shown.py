"""Whether what came of a ``forward`` shows a stage at all: nothing is given for what need not have been computed."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._explain_forward import Together, steps
from stagegrade.diagnosis._made import Made
from stagegrade.diagnosis._outcome import Answered
from stagegrade.diagnosis._trial import Trial
from stagegrade.pipelines import Case, Pipeline, Stage, Trace, Value

_SEED = 1


def is_shown(
    pipeline: Pipeline, stage: Stage, mistakes: Together, trials: Sequence[tuple[Trial, Made]]
) -> bool:
    """Whether, with these mistakes in other stages, the result depends on ``stage``, or its values were seen."""
    if any(
        isinstance(trial.alone, Answered)
        and not _is_constant(trial.alone.value)
        and _matters(pipeline, stage, mistakes, trial.case)
        for trial, _ in trials
    ):
        return True
    return all(_was_made(pipeline, stage, mistakes, trial, made) for trial, made in trials)


def _matters(pipeline: Pipeline, stage: Stage, mistakes: Together, case: Case) -> bool:
    """Whether ``forward`` would return something else if the stage gave something else."""
    try:
        return not same(
            _result(pipeline, case, mistakes),
            _result(pipeline, case, mistakes, in_place_of=stage),
            nan_equal=True,
        )
    except Exception:  # noqa: BLE001 - a mistake raises what wrong code raises
        return False


def _result(pipeline: Pipeline, case: Case, mistakes: Together, in_place_of: Stage | None = None) -> Value:
    assert pipeline.module is not None
    trace: dict[str, Value] = dict(case.inputs)
    for stage in pipeline.inside:
        values = stage.named(pipeline.output(stage, trace, mistakes))
        trace |= _others(values) if stage is in_place_of else values
    return trace[pipeline.module.result]


def _others(values: Trace) -> Mapping[str, Value]:
    """Values of the same shapes that have nothing to do with these."""
    generator = torch.Generator().manual_seed(_SEED)
    return {
        name: torch.randn(value.shape, generator=generator) * 3 if isinstance(value, Tensor) else value
        for name, value in values.items()
    }


def _was_made(pipeline: Pipeline, stage: Stage, mistakes: Together, trial: Trial, made: Made) -> bool:
    for at, _, values in steps(pipeline, trial.case, mistakes):
        if at is stage:
            seen = [made.holds(value) and not _is_constant(value) for value in values.values()]
            # Where it raised, what a later line would have made is not there yet.
            return all(seen) or (any(seen) and not isinstance(trial.alone, Answered))
    return False


def _is_constant(value: object) -> bool:
    """One number all over, as zeros are, is made by anybody."""
    return isinstance(value, Tensor) and bool((value == value.flatten()[:1]).all())
