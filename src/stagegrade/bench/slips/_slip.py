"""How a slip is written down."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypeVar

Manner: TypeAlias = Literal["any", "torch", "numpy", "einsum", "einsum1", "loops", "loops1"]
"""``any`` holds in PyTorch and NumPy alike. ``einsum1`` and ``loops1`` are for one query, ``einsum`` and ``loops`` for
one query a token, the loops without a batch."""

Slip: TypeAlias = Mapping[Manner, str]
"""Code by manner: an expression, or lines that assign ``out``."""

Slips: TypeAlias = Mapping[str, Slip]
"""By the name of the mistake in the catalogue."""

_Written = TypeVar("_Written")


class NotWritten(LookupError):
    """A mistake has no slip in the families that its stage is written from."""


def slip_of(stage: str, mistake: str, known: Mapping[str, _Written]) -> _Written:
    """The slip of a mistake among those ``known`` for a stage. Raises ``NotWritten``."""
    if mistake not in known:
        raise NotWritten(
            f"{stage}: {mistake} is written down, but not where this stage looks: among {', '.join(known)}. "
            "Write it there too (bench/slips/)."
        )
    return known[mistake]
