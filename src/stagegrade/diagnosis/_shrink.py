"""Makes the smallest case that shows a divergence: fewest rows and columns, small whole numbers.

Nothing of a hidden case goes into it: its cases are the same for every student.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from typing import Any, TypeAlias

import torch
from torch import Tensor

from stagegrade.diagnosis._compare import compare, index_of, same, show
from stagegrade.diagnosis._outcome import Answered, Failed
from stagegrade.diagnosis._trial import Ask, Trial
from stagegrade.pipelines import Case, Pipeline, Shape, Stage, Trace, figure, small_cases

MAX_CASES = 160
"""How many small cases are put to the student's code before it is given up."""
AT_ONCE = 16
AT_FIRST = 2
"""What a named mistake says is to be seen in the first case nearly always is."""
MAX_SIMPLER = 24
"""How many entries are tried to be made simpler."""
SIMPLE = (0.0, 1.0)
MAX_ENTRIES = 512
MAX_ITEMS = 16
"""Of a value that is kept in a record."""

Shows: TypeAlias = Callable[[Trial], bool]
"""Whether a small case shows the very divergence that is to be explained."""


def smallest_case(
    pipeline: Pipeline,
    stage: Stage,
    ask: Ask,
    shows: Shows,
    may_show: Callable[[Trace], bool],
    *,
    batched: bool,
) -> Trial | None:
    """The first small case that shows the divergence, its numbers then made as simple as they can be.

    ``may_show`` leaves out what a named mistake says cannot show it, so that it need not be asked; ``batched`` is for
    what only a batch shows.
    """
    likely = (case for case, trace in _answerable(pipeline, stage, batched) if may_show(trace))
    worth_asking = islice(likely, MAX_CASES)
    at_once = AT_FIRST
    while some := list(islice(worth_asking, at_once)):
        at_once = AT_ONCE
        trials = ask(some)
        found = next((trial for trial in trials if shows(trial)), None)
        if found is not None:
            return _simpler(found, ask, shows, lambda case: _is_worth_asking(pipeline, stage, case, may_show))
        if len(trials) < len(some):
            return None
    return None


class _Answerable:
    """The small cases of a stage that the reference can answer with finite numbers, each worked out once."""

    def __init__(self, pipeline: Pipeline, stage: Stage, batched: bool) -> None:
        self._further = (
            (case, trace)
            for case in small_cases(pipeline, stage, batched=batched)
            if (trace := _answer(pipeline, stage, case)) is not None
        )
        self._known: list[tuple[Case, Trace]] = []

    def __iter__(self) -> Iterator[tuple[Case, Trace]]:
        for place in count():
            if place == len(self._known):
                following = next(self._further, None)
                if following is None:
                    return
                self._known.append(following)
            yield self._known[place]


_known: dict[tuple[str, str, bool], tuple[Pipeline, _Answerable]] = {}


def _answerable(pipeline: Pipeline, stage: Stage, batched: bool) -> _Answerable:
    key = pipeline.name, stage.name, batched
    if key not in _known or _known[key][0] is not pipeline:
        _known[key] = pipeline, _Answerable(pipeline, stage, batched)
    return _known[key][1]


def _answer(pipeline: Pipeline, stage: Stage, case: Case) -> Trace | None:
    """The reference's trace; ``None`` where it has none, or numbers in it are not finite."""
    try:
        trace = pipeline.run(case, until=_last_value(pipeline, stage))
    except (IndexError, RuntimeError):
        return None
    finite = all(bool(torch.isfinite(v).all()) for v in trace.values() if isinstance(v, Tensor))
    return trace if finite else None


def _is_worth_asking(pipeline: Pipeline, stage: Stage, case: Case, may_show: Callable[[Trace], bool]) -> bool:
    trace = _answer(pipeline, stage, case)
    return trace is not None and may_show(trace)


def _last_value(pipeline: Pipeline, stage: Stage) -> str:
    if stage.of == "forward":
        assert pipeline.module is not None
        return pipeline.module.result
    return next(iter(stage.gives))


def _simpler(found: Trial, ask: Ask, shows: Shows, worth: Callable[[Case], bool]) -> Trial:
    """The same case with zeros and ones for as many of its numbers as still show the divergence."""
    best = found
    for name, at in islice(_entries(found.case), MAX_SIMPLER):
        tensor = best.case.inputs[name]
        assert isinstance(tensor, Tensor)
        tries = [value for value in SIMPLE if abs(value) < abs(float(tensor[at]))]
        cases = [made for value in tries if worth(made := _with(best.case, name, at, value))]
        simpler = next((trial for trial in ask(cases) if shows(trial)), None) if cases else None
        best = simpler or best
    return best


def _entries(case: Case) -> Iterator[tuple[str, tuple[int, ...]]]:
    for name, value in case.inputs.items():
        if isinstance(value, Tensor):
            for flat in range(value.numel()):
                yield name, index_of(flat, value.shape)


def _with(case: Case, name: str, at: tuple[int, ...], value: float) -> Case:
    tensor = case.inputs[name]
    assert isinstance(tensor, Tensor)
    changed = tensor.clone()
    changed[at] = value
    return replace(case, inputs={**case.inputs, name: changed})


def evidence_of(
    stage: Stage,
    value: str,
    trial: Trial,
    *,
    before: Trace | None = None,
    shown: Sequence[str],
    shapes: Mapping[str, Shape],
    expected: Any,
    got: Any,
    line_for: tuple[Any, Any] | None = None,
) -> dict[str, Any]:
    """The case as the record keeps it: its inputs, what is expected and what came, and one entry worked out.

    ``value`` names the stage's value whose arithmetic is shown. Where that is not what was returned, ``line_for`` is
    what it should be and what it came to, and ``before`` what the stage got.
    """
    found = {
        "inputs": {name: plain(trial.trace[name]) for name in shown},
        "expected": plain(expected),
        "got": plain(got) if isinstance(trial.alone, Answered) else _said(trial),
    }
    different = compare(expected, got) if isinstance(trial.alone, Answered) else None
    if different is not None and different.kind in ("type", "length", "shape"):
        # The numbers alone may look the same.
        found["form"] = f"expected {different.expected}, yours is {different.got}"
    right, wrong = line_for if line_for is not None else (expected, got)
    if isinstance(right, tuple):
        # What came is not even several values; the first of those that should have come is worked out.
        right, wrong = trial.trace.get(value), None
    at = _first_difference(right, wrong)
    # A value that came in another form has no entries to work out.
    if stage.working is not None and value in stage.gives and len(at) >= len(stage.gives[value]):
        index = f"[{', '.join(map(str, at))}]" if at else ""
        reads = stage.arguments(before or trial.trace)
        if len(at) > len(stage.gives[value]):
            # One sequence of a batch is worked out.
            one = {
                n: v[at[0]] if isinstance(v, Tensor) and v.dim() > len(shapes[n]) else v
                for n, v in reads.items()
            }
            reads, at_one = one, at[1:]
        else:
            at_one = at
        line = f"{value}{index} = {stage.working(value, at_one, *reads.values())}"
        comparable = isinstance(wrong, Tensor) and isinstance(right, Tensor) and wrong.shape == right.shape
        if comparable and not wrong.is_complex():
            line += f"; yours comes to {figure(float(wrong[at]))}"
        found["line"] = line
    return found


def _said(trial: Trial) -> str:
    failed = trial.alone
    assert isinstance(failed, Failed)
    return f"{failed.error}: {failed.message}" if failed.message else failed.error


def _first_difference(expected: Any, got: Any) -> tuple[int, ...]:
    """The index of the first entry that differs; of the first entry where the shapes do."""
    if not isinstance(expected, Tensor):
        return ()
    if isinstance(got, Tensor) and got.shape == expected.shape and not got.is_complex():
        for flat, (one, other) in enumerate(zip(expected.flatten(), got.flatten(), strict=True)):
            if not same(one, other):
                return index_of(flat, expected.shape)
    return (0,) * expected.dim()


def plain(value: Any) -> Any:
    """A value as JSON has it: whole numbers whole, the others to six decimals.

    NaN, infinity, and what is larger than a stage's values are, in words.
    """
    if isinstance(value, Tensor):
        if value.is_complex() or value.numel() > MAX_ENTRIES or not bool(torch.isfinite(value).all()):
            return show(value)
        return _rounded(value.double().tolist())
    if isinstance(value, tuple) and len(value) <= MAX_ITEMS:
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return show(value)


def _rounded(found: Any) -> Any:
    if isinstance(found, list):
        return [_rounded(item) for item in found]
    return int(found) if found == int(found) else round(found, 6)
