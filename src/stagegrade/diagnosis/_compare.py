"""Holds a student's value against the expected one: type, then shape, then values, stopping at the first difference."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"

# torch.testing's own for float32. Cases are drawn so that every right order of operations stays within them.
RTOL = 1.3e-6
ATOL = 1e-5
# For holding an answer against a mistake, which is wrong anyhow: a quotient by a sum near zero differs that much
# between two orders of adding up.
LOOSE_RTOL = 1e-4
SHOWN_ENTRIES = 12
MAX_SHOWN = 400


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Where two values part. ``kind`` is ``type``, ``length``, ``shape`` or ``value``."""

    kind: str
    name: str
    """Which of the stage's values, where it gives several; else empty."""
    expected: str
    got: str
    detail: str = ""

    def describe(self) -> str:
        of = f" for `{self.name}`" if self.name else ""
        text = f"expected {self.expected}{of}, got {self.got}"
        return f"{text}; {self.detail}" if self.detail else text


def same(expected: Any, got: Any, *, nan_equal: bool = False) -> bool:
    return _agree(expected, got, nan_equal, RTOL)


def alike(expected: Any, got: Any) -> bool:
    """Whether ``got`` is what a mistake gives: what is not finite is so there too, and the last digits may differ."""
    return _agree(expected, got, True, LOOSE_RTOL)


def _agree(expected: Any, got: Any, nan_equal: bool, rtol: float) -> bool:
    """Whether ``compare`` would find nothing; asked thousands of times, and so without the words for it."""
    if isinstance(expected, Tensor) and isinstance(got, Tensor):
        if got.shape != expected.shape or not _is_comparable(expected, got):
            return False
        return bool(close(_array(expected), _array(got), nan_equal=nan_equal, rtol=rtol).all())
    return compare(expected, got, nan_equal=nan_equal, rtol=rtol) is None


def close(expected: Array, got: Array, *, nan_equal: bool, rtol: float) -> Any:
    """Entry by entry, whether two arrays agree. With ``LOOSE_RTOL`` whatever is not finite agrees with its like:
    whether it is NaN or infinity hangs on the order of adding up.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(got - expected)
        near = (off <= ATOL + rtol * np.abs(expected)) & np.isfinite(off)
    near |= got == expected
    if rtol == LOOSE_RTOL:
        near |= ~np.isfinite(expected) & ~np.isfinite(got)
    elif nan_equal:
        near |= np.isnan(expected) & np.isnan(got)
    return near


def _is_comparable(expected: Tensor, got: Tensor) -> bool:
    return not got.is_complex() and (got.dtype == torch.bool) == (expected.dtype == torch.bool)


def _array(tensor: Tensor) -> Array:
    return tensor.detach().to(torch.float64).numpy()


def compare(
    expected: Any, got: Any, *, nan_equal: bool = False, name: str = "", rtol: float = RTOL
) -> Difference | None:
    """The first difference, or ``None``. A NumPy array or a plain number may stand for a tensor."""
    if isinstance(expected, tuple):
        return _compare_items(expected, got, nan_equal, name, rtol)
    if isinstance(expected, Mapping):
        return _compare_entries(expected, got, nan_equal, name, rtol)
    if isinstance(expected, Tensor):
        return _compare_tensors(expected, got, nan_equal, name, rtol)
    if expected is None:
        return None if got is None else _wrong_type("nothing", got, name)
    return _compare_plain(expected, got, name)


def _compare_items(
    expected: tuple[Any, ...], got: Any, nan_equal: bool, name: str, rtol: float
) -> Difference | None:
    if isinstance(got, Tensor) and got.dim() == 1 and all(isinstance(one, (int, float)) for one in expected):
        # Plain numbers in a row, such as a shape, may come as a tensor or an array.
        got = tuple(got.tolist())
    if not isinstance(got, tuple):
        return _wrong_type(f"{len(expected)} values in a tuple", got, name)
    if len(got) != len(expected):
        return Difference(
            kind="length", name=name, expected=f"{len(expected)} values", got=f"{len(got)} values"
        )
    for index, (one, other) in enumerate(zip(expected, got, strict=True)):
        found = compare(one, other, nan_equal=nan_equal, name=name or f"value {index + 1}", rtol=rtol)
        if found:
            return found
    return None


def _compare_entries(
    expected: Mapping[str, Any], got: Any, nan_equal: bool, name: str, rtol: float
) -> Difference | None:
    if not isinstance(got, Mapping):
        return _wrong_type("named values", got, name)
    for key, one in expected.items():
        path = f"{name}: {key}" if name else key
        if got.get(key) is None and one is not None:
            return Difference(kind="value", name=path, expected=show(one), got="nothing")
        found = compare(one, got.get(key), nan_equal=nan_equal, name=path)
        if found:
            return found
    return None


def _compare_plain(expected: Any, got: Any, name: str) -> Difference | None:
    if isinstance(got, Tensor) and got.numel() == 1 and not got.is_complex():
        got = got.item()
    wanted = bool if isinstance(expected, bool) else (int, float) if isinstance(expected, int) else str
    if isinstance(expected, int) and not isinstance(expected, bool) and isinstance(got, bool):
        return _wrong_type("a number", got, name)
    if not isinstance(got, wanted):
        kinds = {bool: "True or False", str: "a string"}
        return _wrong_type(
            kinds.get(wanted, "a number") if isinstance(wanted, type) else "a number", got, name
        )
    if got != expected:
        return Difference(kind="value", name=name, expected=show(expected), got=show(got))
    return None


def _compare_tensors(
    expected: Tensor, got: Any, nan_equal: bool, name: str, rtol: float
) -> Difference | None:
    if isinstance(got, (int, float)) and not isinstance(got, bool) and expected.dim() == 0:
        got = torch.tensor(got, dtype=torch.float64)
    if not isinstance(got, Tensor):
        return _wrong_type(f"a tensor of shape {shape_of(expected)}", got, name)
    if not _is_comparable(expected, got):
        return _wrong_type(f"a tensor of {expected.dtype}", got, name)
    if got.shape != expected.shape:
        return Difference(
            kind="shape", name=name, expected=f"shape {shape_of(expected)}", got=f"shape {shape_of(got)}"
        )
    one, other = _array(expected), _array(got)
    near = close(one, other, nan_equal=nan_equal, rtol=rtol)
    if near.all():
        return None
    return Difference(
        kind="value", name=name, expected=show(expected), got=show(got), detail=_how_far(one, other, near)
    )


def _how_far(expected: Array, got: Array, near: Any) -> str:
    wrong = int((~near).sum())
    total = near.size
    count = int((~np.isfinite(got) & ~near).sum())
    if count:
        return f"{count} of {total} entries {'is' if count == 1 else 'are'} NaN or infinite"
    off = np.where(near, -1.0, np.abs(got - expected))
    worst = int(off.argmax())
    index = index_of(worst, near.shape)
    where = f" at index {list(index)}" if index else ""
    many = f"{wrong} of {total} entries differ, the most" if total > 1 else "off"
    return f"{many} by {float(off.reshape(-1)[worst]):.4g}{where}"


def index_of(flat: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Where the entry number ``flat`` stands, counted along the last dimension first.

    Not ``torch.unravel_index``, whose first call imports all of sympy: a second or more.
    """
    index = []
    for size in reversed(shape):
        flat, at = divmod(flat, size)
        index.append(at)
    return tuple(reversed(index))


def _wrong_type(expected: str, got: Any, name: str) -> Difference:
    return Difference(kind="type", name=name, expected=expected, got=describe_type(got))


def describe_type(got: Any) -> str:
    """What a value is, in a few words."""
    if got is None:
        return "None (is a `return` missing?)"
    if isinstance(got, Tensor):
        return f"a tensor of {got.dtype} and shape {shape_of(got)}"
    if isinstance(got, tuple):
        return f"a tuple of {len(got)}"
    if isinstance(got, Mapping):
        return "a dict"
    if isinstance(got, (bool, int, float, str)):
        return f"{show(got)} ({type(got).__name__})"
    return f"an object of type {getattr(got, 'type_name', type(got).__name__)}"


def shape_of(tensor: Tensor) -> str:
    return str(tuple(tensor.shape))


def show(value: Any) -> str:
    """A value as a person reads it, long ones cut short."""
    text = _shown(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        if not value.numel():
            return f"a tensor without entries, of shape {shape_of(value)}"
        if value.numel() > SHOWN_ENTRIES:
            return f"[{_numbers(value.flatten()[:SHOWN_ENTRIES])}, …] of shape {shape_of(value)}"
        if value.dim() <= 1:
            inner = _numbers(value.flatten())
            return inner if value.dim() == 0 else f"[{inner}]"
        return f"[{', '.join(_shown(row) for row in value)}]"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
    if isinstance(value, tuple):
        return f"({', '.join(_shown(item) for item in value)})"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    return describe_type(value)


def _numbers(flat: Tensor) -> str:
    if flat.is_complex():
        return ", ".join(f"{x:.4g}" for x in flat.tolist())
    return ", ".join(_number(x) for x in flat.double().tolist())


def _number(x: float) -> str:
    if not math.isfinite(x) or x == int(x):
        return f"{x:g}"
    return f"{x:.4f}" if 1e-3 <= abs(x) < 1e5 else f"{x:.3e}"
