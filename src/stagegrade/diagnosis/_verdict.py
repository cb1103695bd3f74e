"""What is decided for one stage."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    CORRECT = "correct"
    DIVERGES = "diverges"
    RAISED = "raised"
    MISSING = "missing"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    LOST = "lost"
    """The process died while the stage was asked."""
    NOT_REACHED = "not_reached"


class Confidence(StrEnum):
    """How a stage inside one ``forward`` was found to be right or wrong."""

    EXACT = "exact"
    """Its output, or a named mistake's, was reproduced on every case."""
    TRACED = "traced"
    """The tensors that ``forward`` made show it."""
    UNLOCATED = "unlocated"
    """Nothing shows whether it is right."""


@dataclass(frozen=True, kw_only=True)
class StageVerdict:
    """The verdict for one stage, with what explains it to a person."""

    stage: str
    verdict: Verdict
    carried: bool = False
    """Right for right inputs, and wrong in the chain because an earlier stage is."""
    mistake: str | None = None
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    case: Mapping[str, Any] | None = None
    """The kind and seed of the case that shows it."""

    @property
    def passed(self) -> bool:
        return self.verdict == Verdict.CORRECT

    @property
    def earns(self) -> bool:
        """Whether it gets its points: right, and by no call that costs them."""
        return self.passed and not self.evidence.get("forbidden")


def first_divergence(verdicts: list[StageVerdict]) -> str | None:
    """The first stage, in pipeline order, whose output leaves the reference; never a carried one."""
    return next((v.stage for v in verdicts if not v.passed), None)
