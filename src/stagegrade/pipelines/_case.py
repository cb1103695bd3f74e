"""One concrete set of inputs for a pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from stagegrade.pipelines._value import Value


class Kind(StrEnum):
    """What a case is there to show; no single kind suffices.

    The worked example hides a literal √2 and √d_v; a square case hides √d_in, √n and most transpositions;
    two dimensions hide ``.T`` on a batch; small numbers hide an exponential that overflows.
    """

    WORKED = "worked"
    RECTANGULAR = "rectangular"
    BATCHED = "batched"
    LARGE = "large"
    FREE = "free"
    """One stage's own inputs, drawn freely: no earlier stage need be able to give them. It tells mistakes
    apart and decides nothing else."""
    SMALL = "small"
    """Few rows, few columns, small whole numbers: for a person to follow by hand."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """Inputs by name, drawn from ``seed``; the sizes of its dimensions are inputs too, by their names."""

    kind: Kind
    seed: int
    """The seed it is drawn from; 0 for the worked example and a small case, which are not drawn."""
    turn: int = 0
    """Which of the pipeline's choices it has."""
    sizes: Mapping[str, int]
    inputs: Mapping[str, Value]
    of: str | None = None
    """The one stage that it gives the inputs of; ``None`` where it begins at the pipeline's beginning."""
