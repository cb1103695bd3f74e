"""Follows a student's ``forward`` stage by stage through the tensors that it made."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from torch import Tensor

from stagegrade.diagnosis._compare import alike, same
from stagegrade.diagnosis._errors import likeness
from stagegrade.diagnosis._made import Made
from stagegrade.diagnosis._names import names_agree
from stagegrade.diagnosis._outcome import Answered, Failed
from stagegrade.diagnosis._trial import Trial
from stagegrade.pipelines import Mistake, Pipeline, Stage, Trace, Value

MAX_PATHS = 24
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
        is_last = number == len(pipeline.inside)
        further: list[Path] = []
        for path in paths:
            for option in [(), *((mistake,) for mistake in pipeline.mistakes_of(stage))]:
                mistakes = (*path.mistakes, *option)
                try:
                    values = stage.named(pipeline.output(stage, path.trace, mistakes))
                except Exception as error:  # noqa: BLE001 - a mistake raises what wrong code raises
                    if isinstance(trial.alone, Failed) and likeness(error, trial.alone):
                        ends.append(Path(mistakes=mistakes, trace=path.trace, unseen=path.unseen))
                    continue
                following = Path(
                    mistakes=mistakes,
                    trace={**path.trace, **values},
                    reached=path.reached,
                    unseen=path.unseen + 1,
                )
                if _is_seen(pipeline, trial, made, values, loose=bool(mistakes)) and not (
                    mistakes and not is_last and is_only_turned(stage, path.trace, values, trial, made)
                ):
                    # What gives back a tensor that was there before is shown only by what follows.
                    known = bool(option) and all(_is_known(value, path.trace) for value in values.values())
                    shown = replace(following, reached=number, unseen=path.unseen)
                    further.append(following if known else shown)
                elif not option:
                    further.append(following)
        paths = _likeliest(further, made)
        seen += [path for path in paths if path.reached == number]
    ends += [path for path in paths if _is_the_answer(pipeline, path, trial)]
    ends.sort(key=lambda path: (len(path.mistakes), path.unseen))
    seen.sort(key=lambda path: (-path.reached, len(path.mistakes), path.unseen))
    return [path.mistakes for path in ends], seen


def _likeliest(paths: list[Path], made: Made) -> list[Path]:
    """Those that ask for the fewest mistakes and the least that was not seen; names tell where these do not."""
    if len(paths) > MAX_PATHS:
        named = {id(path): names_agree(path.trace, made) for path in paths}
        paths = sorted(
            paths, key=lambda path: (path.unseen + len(path.mistakes) - named[id(path)], path.unseen)
        )
    return paths[:MAX_PATHS]


def _is_seen(
    pipeline: Pipeline, trial: Trial, made: Made, values: Mapping[str, Value], *, loose: bool
) -> bool:
    """Whether all that a stage gives was made; what ``forward`` returns is in view and has to be the very value."""
    assert pipeline.module is not None
    result = pipeline.module.result
    if result in values and isinstance(trial.alone, Answered):
        return alike(values[result], trial.alone.value)
    return all(made.holds(value, loose=loose) for value in values.values())


def is_only_turned(stage: Stage, before: Trace, values: Trace, trial: Trial, made: Made) -> bool:
    """Whether what mistakes lead to was made only turned round or in pieces, and the right values as they are.

    An output that is turned round at the end comes of several turned matrices just as well.
    """
    if all(made.holds_straight(value) for value in values.values()):
        return False
    return all(made.holds_straight(trial.trace[name]) for name in values) or right_was_made(
        stage, before, made
    )


def right_was_made(stage: Stage, before: Trace, made: Made) -> bool:
    """Whether the values that are right for what the stage got were made as they are."""
    try:
        right = stage.named(stage.reference(**stage.arguments(before)))
    except Exception:  # noqa: BLE001 - what an earlier mistake gives need not fit this stage at all
        return False
    return all(made.holds_straight(value) for value in right.values())


def _is_known(value: Value, trace: Trace) -> bool:
    if not isinstance(value, Tensor):
        return False
    forms = [value, value.transpose(-2, -1)] if value.dim() > 1 else [value]
    return any(same(form, one) for one in trace.values() if isinstance(one, Tensor) for form in forms)


def _is_the_answer(pipeline: Pipeline, path: Path, trial: Trial) -> bool:
    assert pipeline.module is not None
    return isinstance(trial.alone, Answered) and alike(path.trace[pipeline.module.result], trial.alone.value)
