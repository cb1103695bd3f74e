"""Asks a probe, builds traces, returns verdicts."""

from stagegrade.judge._judge import CALL_TIMEOUT, Judge, Offer
from stagegrade.judge._probe import Link
from stagegrade.judge._rules import mentioned

__all__ = ["CALL_TIMEOUT", "Judge", "Link", "Offer", "mentioned"]
