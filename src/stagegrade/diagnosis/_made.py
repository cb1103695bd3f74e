"""The tensors that one call was seen to make, ready to be searched."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from stagegrade.diagnosis._compare import ATOL, LOOSE_RTOL, RTOL
from stagegrade.diagnosis._trial import Seen

_Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


class Made:
    """Answers whether a value was made: whole, turned round, in a batch of one, or piece by piece."""

    def __init__(self, seen: Seen, *more: object) -> None:
        found = [*seen.tensors, *(tensor for _, tensor in seen.named)]
        found += [tensor for tensor in more if isinstance(tensor, Tensor)]
        self.tensors = [t for t in found if t.numel() and not t.is_complex()]
        self.named = seen.named
        self._stacks: dict[tuple[int, ...], list[_Array]] = {}
        for tensor in self.tensors:
            array = np.squeeze(_array(tensor))
            self._stacks.setdefault(array.shape, []).append(array.reshape(-1))
        singles = [array[0] for array in self._stacks.get((), ())]
        entries = _array(seen.entries).reshape(-1) if seen.entries is not None else np.zeros(0)
        self._entries = np.sort(np.concatenate([np.asarray(singles), entries]))
        self._whole: dict[tuple[int, ...], _Array] = {}

    def holds(self, value: object, *, loose: bool = False) -> bool:
        """Whether a tensor of this content was made, in some form; ``loose`` allows what ``alike`` allows."""
        if not isinstance(value, Tensor) or value.is_complex() or not value.numel():
            return False
        return self._holds(np.squeeze(_array(value)), LOOSE_RTOL if loose else RTOL)

    def holds_straight(self, value: object) -> bool:
        """Whether it was made as it is: not turned round, and not in pieces."""
        if not isinstance(value, Tensor) or value.is_complex() or not value.numel():
            return False
        return self._has(np.squeeze(_array(value)), LOOSE_RTOL)

    def _holds(self, array: _Array, rtol: float) -> bool:
        if array.ndim == 0:
            return self._has_entries(array.reshape(1), rtol)
        if self._has(array, rtol) or (array.ndim > 1 and self._has(array.swapaxes(-1, -2), rtol)):
            return True
        if array.ndim > 2:
            return all(self._holds(np.squeeze(part), rtol) for part in array)
        # A loop makes it row by row, column by column, or entry by entry.
        if array.ndim == 2 and (self._has_all(array, rtol) or self._has_all(array.T, rtol)):
            return True
        return self._has_entries(array.reshape(-1), rtol)

    def _has_all(self, rows: _Array, rtol: float) -> bool:
        # Of a matrix of equal rows it would be enough to have made one of them.
        if rows.shape[-1] < 2 or 2 * len(np.unique(rows, axis=0)) <= len(rows):
            return False
        return all(self._has(row, rtol) for row in rows)

    def _has(self, array: _Array, rtol: float) -> bool:
        known = self._stacks.get(array.shape)
        if known is None:
            return False
        if array.shape not in self._whole:
            self._whole[array.shape] = np.stack(known)
        return bool(_close(self._whole[array.shape], array.reshape(-1), rtol).all(axis=1).any())

    def _has_entries(self, wanted: _Array, rtol: float) -> bool:
        if len(self._entries) < len(wanted) or (
            len(wanted) > 1 and 2 * len(np.unique(wanted)) <= len(wanted)
        ):
            return False
        places = np.searchsorted(self._entries, wanted)
        below = self._entries[np.clip(places - 1, 0, len(self._entries) - 1)]
        above = self._entries[np.clip(places, 0, len(self._entries) - 1)]
        return bool((_close(below, wanted, rtol) | _close(above, wanted, rtol)).all())

    def of_shape(self, shape: Sequence[int]) -> list[Tensor]:
        """What was made that may stand for a value of ``shape``, each content once; turned ones come last."""
        wanted = torch.Size(shape)
        straight, turned = [], []
        for tensor in self.tensors:
            if _without_ones(tensor.shape) == _without_ones(wanted):
                straight.append(tensor.reshape(wanted))
            if tensor.dim() > 1 and tensor.transpose(-2, -1).shape == wanted:
                turned.append(tensor.transpose(-2, -1))
        distinct: dict[bytes, Tensor] = {}
        for tensor in [*straight, *turned]:
            distinct.setdefault(_array(tensor).tobytes(), tensor.float())
        return list(distinct.values())


def _without_ones(shape: Sequence[int]) -> list[int]:
    return [size for size in shape if size != 1]


def _array(tensor: Tensor) -> _Array:
    return tensor.detach().to(torch.float64).contiguous().numpy()


def _close(one: _Array, other: _Array, rtol: float) -> Any:
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) <= ATOL + rtol * np.abs(other)
    return near | (one == other) | (np.isnan(one) & np.isnan(other))
