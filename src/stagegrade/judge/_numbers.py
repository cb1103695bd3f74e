"""Lists of numbers, which are the right values where they are the right numbers in the right places."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from stagegrade.diagnosis import Answered, Outcome
from stagegrade.pipelines import Stage

LIST = "a list of numbers"


def numbers_as_tensors(stage: Stage, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes, with lists of numbers made into the tensors that ``stage`` gives; what it gives says where."""
    tensors = [bool(shape) for shape in stage.gives.values()]
    if not any(tensors):
        return list(outcomes)
    return [_made(tensors, o) if isinstance(o, Answered) else o for o in outcomes]


def _made(tensors: Sequence[bool], outcome: Answered) -> Answered:
    value = outcome.value
    if len(tensors) == 1:
        made = _tensor_of(value)
    elif isinstance(value, tuple) and len(value) == len(tensors):
        made = tuple(_tensor_of(item) if one else item for one, item in zip(tensors, value, strict=True))
        made = value if all(one is other for one, other in zip(made, value, strict=True)) else made
    else:
        return outcome
    if made is value:
        return outcome
    return replace(outcome, value=made, was=(*(kind for kind in outcome.was if kind != "list"), LIST))


def _tensor_of(value: Any) -> Any:
    """A tensor of nested lists that are as regular as one; ``value`` itself where it is none of these."""
    if not isinstance(value, tuple):
        return value
    plain = _plain(value)
    if plain is None:
        return value
    try:
        return torch.tensor(plain, dtype=torch.float64)
    except (ValueError, TypeError, OverflowError):
        return value


def _plain(value: Any) -> Any:
    """Nested lists of floats, single entries of tensors among them; ``None`` where anything else is in it."""
    if isinstance(value, tuple):
        items = [_plain(item) for item in value]
        return items if items and None not in items else None
    if (
        isinstance(value, Tensor)
        and value.dim() == 0
        and not value.is_complex()
        and value.dtype != torch.bool
    ):
        return float(value)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
