"""Puts further cases, once it is known that a stage is wrong, and knows when to stop."""

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from stagegrade.diagnosis import Answered, Failed, Trial
from stagegrade.pipelines import Case, Pipeline, Trace

MAX_QUESTIONS = 400
MAX_SECONDS = 5.0
"""Code so slow that this is reached gets a shorter explanation; what is quick never depends on the clock."""

Put: TypeAlias = Callable[[Sequence[tuple[Case, Trace]]], Sequence[Trial]]


class Further:
    """Further questions about one stage. After one that was not answered, there are no more."""

    def __init__(self, pipeline: Pipeline, put: Put, until: str | None = None) -> None:
        """Traces go as far as the value called ``until``: a small case may be too small for what comes after."""
        self._pipeline = pipeline
        self._put = put
        self._until = until
        self._left = MAX_QUESTIONS
        self._seconds = 0.0

    def ask(self, cases: Sequence[Case]) -> list[Trial]:
        """A trial for each case; fewer where the questions have come to their end."""
        some = list(cases)[: self._left]
        if not some or self._seconds > MAX_SECONDS:
            return []
        began = time.monotonic()
        trials = self._put([(case, self._pipeline.run(case, until=self._until)) for case in some])
        self._seconds += time.monotonic() - began
        self._left -= len(some)
        answered = [trial for trial in trials if isinstance(trial.alone, (Answered, Failed))]
        if len(answered) < len(some):
            self._left = 0
        return answered
