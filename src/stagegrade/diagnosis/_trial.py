"""One case, put to a student's code for one stage."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from torch import Tensor

from stagegrade.diagnosis._compare import Difference, compare
from stagegrade.diagnosis._outcome import Answered, Outcome
from stagegrade.pipelines import Case, Stage, Trace


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a call was seen to make on its way, in the order of first appearance."""

    tensors: tuple[Tensor, ...] = ()
    entries: Tensor | None = None
    """Single numbers, (count,)."""
    named: tuple[tuple[str, Tensor], ...] = ()
    """What the code's own variables held when its functions returned, by their names."""
    steady: bool = True
    """Whether a second call with the same inputs gave the same."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    case: Case
    trace: Trace
    """The reference's values for the case."""
    alone: Outcome
    """What came of the reference's own inputs."""
    chained: Outcome | None = None
    """What came of the student's own earlier outputs; ``None`` where those are the reference's."""
    seen: Seen | None = None
    """What the call made, where it was watched."""
    second: bool = False
    """Whether the object had been called before, with other inputs."""
    unset: tuple[str, ...] = ()
    """Weights that the module has in no form that the judge could set."""


Ask: TypeAlias = Callable[[Sequence[Case]], Sequence[Trial]]
"""Puts further cases to the student's code; gives fewer trials than cases, or none, where it may not go on."""


def expected_output(stage: Stage, trace: Trace) -> Any:
    """What the stage should return for a case, in the form that a student returns it."""
    values = tuple(trace[name] for name in stage.gives)
    return values[0] if len(values) == 1 else values


def difference(stage: Stage, trace: Trace, outcome: Outcome) -> Difference | None:
    """How an answer differs from the reference; ``None`` where it does not.

    Raises ``TypeError`` for an outcome that is no answer.
    """
    if not isinstance(outcome, Answered):
        raise TypeError("only an answer can be compared")
    expected = expected_output(stage, trace)
    if len(stage.gives) > 1 and isinstance(outcome.value, tuple) and len(outcome.value) == len(stage.gives):
        for name, got in zip(stage.gives, outcome.value, strict=True):
            found = compare(trace[name], got, name=name)
            if found:
                return found
        return None
    return compare(expected, outcome.value)


def is_right(stage: Stage, trace: Trace, outcome: Outcome) -> bool:
    return isinstance(outcome, Answered) and difference(stage, trace, outcome) is None
