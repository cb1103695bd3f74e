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
    pipeline: Pipeline, stage: Stage, mistakes: Together, trials: Sequence[Trial], made: Sequence[Made]
) -> bool:
    """Whether, with these mistakes in other stages, the result depends on ``stage``, or its values were seen."""
    if any(
        isinstance(trial.alone, Answered)
        and not _is_constant(trial.alone.value)
        and _matters(pipeline, stage, mistakes, trial.case)
        for trial in trials
    ):
        return True
    return all(
        _was_made(pipeline, stage, mistakes, trial.case, seen)
        for trial, seen in zip(trials, made, strict=True)
    )


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


def _was_made(pipeline: Pipeline, stage: Stage, mistakes: Together, case: Case, made: Made) -> bool:
    for at, _, values in steps(pipeline, case, mistakes):
        if at is stage:
            return all(made.holds(value) and not _is_constant(value) for value in values.values())
    return False


def _is_constant(value: object) -> bool:
    """One number all over, as zeros are, is made by anybody."""
    return isinstance(value, Tensor) and bool((value == value.flatten()[:1]).all())
