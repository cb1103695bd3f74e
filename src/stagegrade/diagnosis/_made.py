"""The tensors that one call was seen to make, ready to be searched."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stagegrade.diagnosis._compare import ATOL, LOOSE_RTOL, RTOL, Array, alike, close
from stagegrade.diagnosis._trial import Seen


class Made:
    """Answers whether a value was made: whole, turned round, in a batch of one, or piece by piece."""

    def __init__(self, seen: Seen, *more: object) -> None:
        found = [*seen.tensors, *(tensor for _, tensor in seen.named)]
        found += [tensor for tensor in more if isinstance(tensor, Tensor)]
        self.tensors = [t for t in found if t.numel() and not t.is_complex()]
        self.named = seen.named
        self._stacks: dict[tuple[int, ...], list[Array]] = {}
        for tensor in self.tensors:
            array = np.squeeze(_array(tensor))
            self._stacks.setdefault(array.shape, []).append(array.reshape(-1))
        singles = [array[0] for array in self._stacks.get((), ())]
        entries = _array(seen.entries).reshape(-1) if seen.entries is not None else np.zeros(0)
        self._entries = np.sort(np.concatenate([np.asarray(singles), entries]))
        every = [self._entries, *(array for stack in self._stacks.values() for array in stack)]
        self._every = np.unique(np.concatenate(every)).tolist()
        self._whole: dict[tuple[int, ...], Array] = {}
        self._held: dict[tuple[int, int], tuple[bool, Tensor]] = {}

    def holds(self, value: object, *, loose: bool = False) -> bool:
        """Whether a tensor of this content was made, in some form; ``loose`` allows what ``alike`` allows."""
        if not isinstance(value, Tensor) or value.is_complex() or not value.numel():
            return False
        array = np.squeeze(_array(value))
        rtol = LOOSE_RTOL if loose else RTOL
        return self._may_hold(array, rtol) and self._holds(array, rtol)

    def holds_straight(self, value: object) -> bool:
        """Whether it was made as it is: not turned round, and not in pieces."""
        if not isinstance(value, Tensor) or value.is_complex() or not value.numel():
            return False
        return self._has(np.squeeze(_array(value)), LOOSE_RTOL)

    def is_named(self, place: int, value: Tensor) -> bool:
        """Whether the variable at ``place`` in ``named`` held this value, straight or turned round."""
        known = self._held.get((place, id(value)))
        if known is None:
            tensor = self.named[place][1].squeeze()
            forms = [value, value.transpose(-2, -1)] if value.dim() > 1 else [value]
            # With the value itself, so that nothing else gets its identity.
            known = self._held[place, id(value)] = any(alike(f.squeeze(), tensor) for f in forms), value
        return known[0]

    def _may_hold(self, array: Array, rtol: float) -> bool:
        """Whether a first and a last entry like its own are anywhere; that answers most questions at once."""
        for entry in (array.item(0), array.item(-1)):
            if not math.isfinite(entry):
                continue
            # A little wider than what is compared in the end, which may reckon from the other value.
            off = 1.01 * (ATOL + rtol * abs(entry))
            place = bisect_left(self._every, entry - off)
            if place == len(self._every) or not self._every[place] <= entry + off:
                return False
        return True

    def _holds(self, array: Array, rtol: float) -> bool:
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

    def _has_all(self, rows: Array, rtol: float) -> bool:
        if rows.shape[-1] < 2 or not all(self._has(row, rtol) for row in rows):
            return False
        # Of a matrix of equal rows it would be enough to have made one of them.
        return 2 * len(np.unique(rows, axis=0)) > len(rows)

    def _has(self, array: Array, rtol: float) -> bool:
        known = self._stacks.get(array.shape)
        if known is None:
            return False
        if array.shape not in self._whole:
            self._whole[array.shape] = np.stack(known)
        return bool(_near(self._whole[array.shape], array.reshape(-1), rtol).all(axis=1).any())

    def _has_entries(self, wanted: Array, rtol: float) -> bool:
        if len(self._entries) < len(wanted):
            return False
        places = np.searchsorted(self._entries, wanted)
        below = self._entries[np.clip(places - 1, 0, len(self._entries) - 1)]
        above = self._entries[np.clip(places, 0, len(self._entries) - 1)]
        if not (_near(below, wanted, rtol) | _near(above, wanted, rtol)).all():
            return False
        return len(wanted) == 1 or 2 * len(np.unique(wanted)) > len(wanted)

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


def _array(tensor: Tensor) -> Array:
    return tensor.detach().to(torch.float64).contiguous().numpy()


def _near(known: Array, wanted: Array, rtol: float) -> Any:
    return close(wanted, known, nan_equal=True, rtol=rtol)
