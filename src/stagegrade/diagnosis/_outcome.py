"""What came of asking a student's code one question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Answered:
    """It returned. ``was`` names types taken for a stage's own, such as ``numpy.ndarray``."""

    value: Any
    was: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Inputs that it changed in place."""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    """It raised. ``cell`` and ``line`` say where in the student's notebook, as far as known."""

    error: str
    message: str
    cell: str = ""
    line: int | None = None
    source: str = ""
    out_of_memory: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> str:
        return f"{self.error}: {self.message}" if self.message else self.error


@dataclass(frozen=True)
class TimedOut:
    """It did not return before its deadline of ``seconds``."""

    seconds: float
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Lost:
    """The process was gone before it answered."""


Outcome: TypeAlias = Answered | Failed | TimedOut | Lost


def value_of(outcome: Outcome) -> Any:
    """What it returned; ``None`` where it did not."""
    return outcome.value if isinstance(outcome, Answered) else None
