"""The calls of one ``forward``: what each was asked and gave, what it made on the way, and which tells the most."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._made import Made
from stagegrade.diagnosis._outcome import Answered, Failed, value_of
from stagegrade.diagnosis._trial import Ask, Trial
from stagegrade.pipelines import Kind, Pipeline


def is_right(pipeline: Pipeline, trial: Trial) -> bool:
    """Whether ``forward`` gave the reference's result."""
    assert pipeline.module is not None
    return isinstance(trial.alone, Answered) and same(trial.trace[pipeline.module.result], trial.alone.value)


@dataclass(frozen=True, kw_only=True, eq=False)
class Calls:
    pipeline: Pipeline
    trials: Sequence[Trial]
    made: Sequence[Made]
    """Of each trial."""
    telling: Trial
    """The wrong one that tells the most."""
    own: bool
    """Whether the module made weights of its own, by which the trials are judged then."""
    ask: Ask
    """Puts further cases."""

    @property
    def result(self) -> str:
        assert self.pipeline.module is not None
        return self.pipeline.module.result

    def right(self, trial: Trial) -> bool:
        return is_right(self.pipeline, trial)

    def from_call_to_call(self) -> str:
        """In words, why calls of one layer differ, where that alone is wrong; empty where it is not."""
        if any(t.seen is not None and not t.seen.steady for t in self.trials):
            return (
                "Two calls with the same input give different results: is there dropout, or a random number, "
                "in `forward`?"
            )
        if all(t.second for t in self.trials if not self.right(t)):
            return (
                "It is wrong only in a second call of the same layer, with another input: does the layer keep "
                "something from its first call?"
            )
        return ""

    def followed(self) -> list[tuple[Trial, Made]]:
        """The trials that a way through the stages has to hold on.

        Of a batch that made the call raise it may have come no further than the first sequence.
        """
        pairs = sorted(zip(self.trials, self.made, strict=True), key=lambda pair: pair[0] is not self.telling)
        if self.telling.case.kind == Kind.BATCHED:
            return pairs
        return [(t, m) for t, m in pairs if not (t.case.kind == Kind.BATCHED and isinstance(t.alone, Failed))]


def how_telling(trial: Trial) -> tuple[bool, int, bool, int]:
    """Any number says more than NaN all over, a drawn case more than the worked one, an answer more than an error,
    few numbers more than many."""
    got = value_of(trial.alone)
    unreal = isinstance(got, Tensor) and not bool(torch.isfinite(got).any())
    kinds = [Kind.RECTANGULAR, Kind.LARGE, Kind.BATCHED, Kind.WORKED]
    place = kinds.index(trial.case.kind) if trial.case.kind in kinds else len(kinds)
    size = sum(t.numel() for t in trial.case.inputs.values() if isinstance(t, Tensor))
    return unreal, place, not isinstance(trial.alone, Answered), size
