"""One case, put to a student's code for one stage."""

from dataclasses import dataclass
from typing import Any

from stagegrade.diagnosis._compare import Difference, compare
from stagegrade.diagnosis._outcome import Answered, Outcome
from stagegrade.pipelines import Case, Stage, Trace


@dataclass(frozen=True, kw_only=True)
class Trial:
    case: Case
    trace: Trace
    """The reference's values for the case."""
    alone: Outcome
    """What came of the reference's own inputs."""
    chained: Outcome | None = None
    """What came of the student's own earlier outputs; ``None`` where those are the reference's."""


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
