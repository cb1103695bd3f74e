"""Follows a student's ``forward`` stage by stage through the tensors that it made."""

from collections.abc import Sequence
from dataclasses import dataclass

from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._errors import likeness
from stagegrade.diagnosis._made import Made
from stagegrade.diagnosis._outcome import Answered, Failed
from stagegrade.diagnosis._trial import Trial
from stagegrade.pipelines import Mistake, Pipeline, Stage, Trace

MAX_PATHS = 400
"""How many ways through a stage are followed further."""


@dataclass(frozen=True, kw_only=True)
class Path:
    """A way through the stages: the mistakes made so far, and what that gives on one case."""

    mistakes: tuple[Mistake, ...] = ()
    trace: Trace
    reached: int = 0
    """How many stages there are up to the last one whose values were seen."""
    unseen: int = 0
    """How many stages on the way were not seen."""


def follow(pipeline: Pipeline, trial: Trial, made: Made) -> tuple[list[tuple[Mistake, ...]], list[Path]]:
    """The sets of mistakes that lead to the outcome of ``trial``, the fewest first; and the ways that were seen.

    A stage is seen where every value that it gives was made. One that is not seen is taken to be right: it
    may be hidden inside another operation.
    """
    ends: list[Path] = []
    seen: list[Path] = []
    paths = [Path(trace=dict(trial.case.inputs))]
    for number, stage in enumerate(pipeline.inside, start=1):
        further: list[Path] = []
        for path in paths:
            for option in _options(pipeline, stage, path.mistakes):
                mistakes = (*path.mistakes, *option)
                try:
                    values = stage.named(pipeline.output(stage, path.trace, mistakes))
                except Exception as error:  # noqa: BLE001 - a mistake raises what wrong code raises
                    if isinstance(trial.alone, Failed) and likeness(error, trial.alone):
                        ends.append(Path(mistakes=mistakes, trace=path.trace, unseen=path.unseen))
                    continue
                trace = {**path.trace, **values}
                if all(made.holds(value) for value in values.values()):
                    further.append(Path(mistakes=mistakes, trace=trace, reached=number, unseen=path.unseen))
                elif not option:
                    further.append(
                        Path(mistakes=mistakes, trace=trace, reached=path.reached, unseen=path.unseen + 1)
                    )
        paths = sorted(further, key=lambda path: (path.unseen, len(path.mistakes)))[:MAX_PATHS]
        seen += [path for path in paths if path.reached == number]
    ends += [path for path in paths if _is_the_answer(pipeline, path, trial)]
    ends.sort(key=lambda path: (len(path.mistakes), path.unseen))
    seen.sort(key=lambda path: (-path.reached, len(path.mistakes), path.unseen))
    return [path.mistakes for path in ends], seen


def _options(pipeline: Pipeline, stage: Stage, mistakes: Sequence[Mistake]) -> list[tuple[Mistake, ...]]:
    """No mistake, or one of the stage's; what an earlier one makes of this stage leaves no choice."""
    if any(stage.name in mistake.later for mistake in mistakes):
        return [()]
    return [(), *((mistake,) for mistake in pipeline.mistakes_of(stage))]


def _is_the_answer(pipeline: Pipeline, path: Path, trial: Trial) -> bool:
    assert pipeline.module is not None
    return isinstance(trial.alone, Answered) and same(
        path.trace[pipeline.module.result], trial.alone.value, nan_equal=True
    )
