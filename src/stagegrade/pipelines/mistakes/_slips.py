"""What several stages' mistakes are made of."""

import inspect
from collections.abc import Callable
from typing import TypeAlias

from torch import Tensor

from stagegrade.pipelines._value import Value

Reference: TypeAlias = Callable[..., Value]


def reversed_axes(tensor: Tensor) -> Tensor:
    """What ``tensor.T`` gives, a batch included: every axis in reverse, (b, n, d) as (d, n, b).

    PyTorch still does so and warns; a variant must not.
    """
    return tensor.permute(*reversed(range(tensor.dim())))


def projected(reference: Reference, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Value:
    """The projecting stage's own reference, given these tensors: all three views, or the query alone."""
    given = {"inputs": inputs, "W_query": W_query, "W_key": W_key, "W_value": W_value}
    return reference(**{name: given[name] for name in inspect.signature(reference).parameters})


def with_views(
    right: Value, *, query: Tensor | None = None, keys: Tensor | None = None, values: Tensor | None = None
) -> Value:
    """A projecting stage's output with some of its views replaced; a lone tensor is the query."""
    if not isinstance(right, tuple):
        return right if query is None else query
    replacements = (query, keys, values)
    return tuple(old if new is None else new for old, new in zip(right, replacements, strict=True))
