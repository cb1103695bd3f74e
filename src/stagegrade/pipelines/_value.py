"""What flows between stages, and how a shape is written down."""

from collections.abc import Mapping
from typing import TypeAlias

from torch import Tensor

Value: TypeAlias = "Tensor | int | float | bool | str | tuple[Value, ...] | Mapping[str, Value] | None"

# One entry a dimension: a name such as "n" or "d_k", or a number where the size is fixed.
Shape: TypeAlias = tuple[str | int, ...]

Trace: TypeAlias = Mapping[str, Value]
"""Every value of one case by name: its inputs, its sizes, and what each stage gave."""
