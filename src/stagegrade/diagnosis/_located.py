"""Says of the stages that no mistake explains which are right, by the tensors that were made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

import torch
from torch import Tensor

from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._guided import Path
from stagegrade.diagnosis._made import Made
from stagegrade.diagnosis._names import is_called, names_agree
from stagegrade.diagnosis._trial import Trial
from stagegrade.pipelines import Mistake, Pipeline, Stage, Trace, Value

MAX_PATHS = 20
MAX_READINGS = 300
"""How many ways of reading tensors that were made into one stage are tried for one case."""


@dataclass(frozen=True, kw_only=True)
class Located:
    """How far a ``forward`` can be followed, and which later stages are right for what they got."""

    mistakes: Sequence[Mistake] = ()
    """Mistakes that were seen on the way."""
    reached: int = 0
    """How many stages there are up to the last one that was seen, on every case."""
    right_later: frozenset[str] = frozenset()
    """Stages after those that are shown right given what they got, on every case."""
    instead: Mapping[str, Sequence[Tensor]] = field(default_factory=dict)
    """For values that were not seen: what later stages read in their place, a tensor a case."""


def locate(pipeline: Pipeline, trials: Sequence[tuple[Trial, Made]], paths: Sequence[Path]) -> Located:
    """Follow the furthest of ``paths`` that holds on every case, and look at the stages after it.

    The first of ``trials`` is the one that the paths were found on.
    """
    for path in sorted(paths, key=lambda path: _order(path, trials[0][1]))[:MAX_PATHS]:
        traces = [_trace_along(pipeline, trial, made, path) for trial, made in trials]
        if all(trace is not None for trace in traces):
            whole = [trace for trace in traces if trace is not None]
            return _after(pipeline, trials, whole, path.mistakes, path.reached)
    return _after(pipeline, trials, [trial.case.inputs for trial, _ in trials], (), 0)


def _order(path: Path, made: Made) -> tuple[int, int, int, int]:
    """The furthest first, then the one that agrees best with variables' names. A mistake has to gain more than the
    one stage that it is made in, or a stage of which nothing is known would pass for a named mistake."""
    beyond = path.reached - len(path.mistakes)
    return -beyond, -path.reached, -names_agree(path.trace, made), path.unseen


def _trace_along(pipeline: Pipeline, trial: Trial, made: Made, path: Path) -> Trace | None:
    """The values along a path on another case, where the last one is seen there too."""
    trace: dict[str, Value] = dict(trial.case.inputs)
    values: dict[str, Value] = {}
    for stage in pipeline.inside[: path.reached]:
        try:
            values = stage.named(pipeline.output(stage, trace, path.mistakes))
        except Exception:  # noqa: BLE001 - a mistake raises what wrong code raises
            return None
        trace |= values
    loose = bool(path.mistakes)
    return trace if all(made.holds(value, loose=loose) for value in values.values()) else None


def _after(
    pipeline: Pipeline,
    trials: Sequence[tuple[Trial, Made]],
    known: Sequence[Trace],
    mistakes: Sequence[Mistake],
    reached: int,
) -> Located:
    instead: dict[str, list[Tensor]] = {}
    right = set()
    moved = _given_something_else(pipeline, trials, known, reached)
    if moved is not None and all(mistake.stage != pipeline.inside[moved[0]].name for mistake in mistakes):
        maker, name, read = moved
        right = {stage.name for stage in pipeline.inside[maker + 1 : reached + 1]}
        right -= {mistake.stage for mistake in mistakes}
        instead[name] = read
    for stage in pipeline.inside[reached:]:
        readings = [
            _reading(stage, trial, made, trace) for (trial, made), trace in zip(trials, known, strict=True)
        ]
        if any(reading is None for reading in readings):
            continue
        right.add(stage.name)
        for name in stage.reads:
            found = [reading[name] for reading in readings if reading is not None]
            if all(name not in trace for trace in known) and all(isinstance(t, Tensor) for t in found):
                instead.setdefault(name, [t for t in found if isinstance(t, Tensor)])
    reached = reached if moved is None or not right else min(reached, moved[0])
    return Located(mistakes=mistakes, reached=reached, right_later=frozenset(right), instead=instead)


def _given_something_else(
    pipeline: Pipeline, trials: Sequence[tuple[Trial, Made]], known: Sequence[Trace], reached: int
) -> tuple[int, str, list[Tensor]] | None:
    """Whether the first stage that was not seen is right for something else in place of one value before it.

    Then that value was made, and was not what went on. Where its own variable held it, it was right, and was changed
    only where it was read. Gives the place of the stage that it is from, its name, and what was read instead, a
    tensor a case.
    """
    if reached == len(pipeline.inside):
        return None
    stage = pipeline.inside[reached]
    for maker, earlier in enumerate(pipeline.inside[:reached]):
        for name in [one for one in stage.reads if one in earlier.gives]:
            tensors: list[Tensor] = []
            for (trial, made), trace in zip(trials, known, strict=True):
                reading = _reading(stage, trial, made, trace, but=name)
                read = None if reading is None else reading[name]
                if not isinstance(read, Tensor):
                    break
                right = trace[name]
                if isinstance(right, Tensor) and is_called(name, right, trial.trace, made):
                    break
                tensors.append(read)
            if len(tensors) == len(trials):
                return maker, name, tensors
    return None


def _reading(
    stage: Stage, trial: Trial, made: Made, known: Trace, *, but: str = ""
) -> Mapping[str, Value] | None:
    """Tensors that were made, read into the reference, that give tensors that were made.

    What is ``known`` is taken, ``but`` for one value that has to be another.
    """
    expected = trial.trace
    choices: list[list[Any]] = []
    for name in stage.reads:
        value = expected[name]
        if name in known and name == but:
            others = [t for t in made.of_shape(_shape(known[name])) if not same(t, known[name])]
            choices.append([t for t in others if bool(torch.isfinite(t).all())])
        elif name in known:
            choices.append([known[name]])
        elif isinstance(value, Tensor):
            choices.append(made.of_shape(value.shape))
        else:
            choices.append([value])
    for read in islice(product(*choices), MAX_READINGS):
        arguments = dict(zip(stage.reads, read, strict=True))
        try:
            values = stage.named(stage.reference(**arguments))
        except RuntimeError:
            continue
        # A stage that gives back what it got shows nothing.
        new = not any(same(value, one) for value in values.values() for one in read)
        if new and all(made.holds(value) for value in values.values()):
            return arguments
    return None


def _shape(value: Value) -> Sequence[int]:
    return value.shape if isinstance(value, Tensor) else ()
