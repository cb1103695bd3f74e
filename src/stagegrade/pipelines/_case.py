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


@dataclass(frozen=True, kw_only=True)
class Case:
    """Inputs by name, drawn from ``seed``; the sizes of its dimensions are inputs too, by their names."""

    kind: Kind
    seed: int
    """The seed it is drawn from; 0 for the worked example, which is not drawn."""
    sizes: Mapping[str, int]
    inputs: Mapping[str, Value]
