"""Comparing, finding the first divergence, matching mistakes. Pure functions from traces to verdicts."""

from stagegrade.diagnosis._compare import alike, same
from stagegrade.diagnosis._forward import judge_forward
from stagegrade.diagnosis._function import judge_function
from stagegrade.diagnosis._outcome import Answered, Failed, Lost, Outcome, TimedOut
from stagegrade.diagnosis._trial import Ask, Seen, Trial
from stagegrade.diagnosis._verdict import Confidence, StageVerdict, Verdict, first_divergence

__all__ = [
    "Answered",
    "Ask",
    "Confidence",
    "Failed",
    "Lost",
    "Outcome",
    "Seen",
    "StageVerdict",
    "TimedOut",
    "Trial",
    "Verdict",
    "alike",
    "first_divergence",
    "judge_forward",
    "judge_function",
    "same",
]
