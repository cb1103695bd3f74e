"""How a slip is written down."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

Manner: TypeAlias = Literal["any", "torch", "numpy", "einsum", "einsum1", "loops", "loops1"]
"""``any`` holds in PyTorch and NumPy alike. ``einsum1`` and ``loops1`` are for one query, ``einsum`` and ``loops`` for
one query a token, the loops without a batch."""

Slip: TypeAlias = Mapping[Manner, str]
"""Code by manner: an expression, or lines that assign ``out``."""

Slips: TypeAlias = Mapping[str, Slip]
"""By the name of the mistake in the catalogue."""
