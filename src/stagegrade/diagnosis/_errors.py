"""Whether two errors come of the same slip, by their types and by the sizes that their messages speak of."""

import re
from collections.abc import Sequence
from enum import IntEnum

from stagegrade.diagnosis._outcome import Failed

_NUMBER = re.compile(r"\d+")
_SHAPES = re.compile(r"\(([\d, ]*)\)")
# Each names the two sizes that do not fit. PyTorch and NumPy word the same clash in many ways.
_CLASHES = tuple(
    re.compile(pattern)
    for pattern in (
        r"mat1 and mat2 shapes cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)",
        r"size mismatch, got input \(\d+\), mat \(\d+x(\d+)\), vec \((\d+)\)",
        r"size mismatch, got \d+, \d+x(\d+),(\d+)",
        r"inconsistent tensor size, expected tensor \[(\d+)\] and src \[(\d+)\]",
        r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        r"first two dimensions of batch2 tensor to be: \[\d+, (\d+)\] but got: \[\d+, (\d+)\]",
        r"subscript \w has size (\d+) for operand \d+ which does not broadcast with previously seen size (\d+)",
        r"size (\d+) is different from (\d+)",
        r"not aligned: (\d+) \(dim \d+\) != (\d+) \(dim \d+\)",
        r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)",
    )
)
_SIZE_ERRORS = ("RuntimeError", "ValueError")
_AXIS_ERRORS = ("IndexError", "AxisError")
_AXIS = re.compile(
    r"Dimension out of range .* but got (-?\d+)|axis (-?\d+) is out of bounds for array of dimension"
)


class Likeness(IntEnum):
    """How far two errors agree."""

    NONE = 0
    KIND = 1
    """Both are about sizes that do not fit: a product of batches is checked in another order elsewhere."""
    SIZES = 2
    """The same two sizes clash, said in other words: another function, or NumPy in place of PyTorch."""
    SAME = 3
    """The same type, and the same numbers in the message."""


def likeness(error: Exception, failed: Failed) -> Likeness:
    """How far what a mistake raises agrees with what the student's code raised."""
    kind, message = type(error).__name__, str(error)
    if kind == failed.error:
        numbers = _NUMBER.findall(message)
        if message == failed.message or (numbers and numbers == _NUMBER.findall(failed.message)):
            return Likeness.SAME
    if kind in _SIZE_ERRORS and failed.error in _SIZE_ERRORS:
        ours, theirs = clash(message), clash(failed.message)
        if ours is not None and theirs is not None:
            return Likeness.SIZES if ours == theirs else Likeness.KIND
    if kind in _AXIS_ERRORS and failed.error in _AXIS_ERRORS:
        mine, other = _axis(message), _axis(failed.message)
        if mine is not None and mine == other:
            return Likeness.SIZES
    return Likeness.NONE


def _axis(message: str) -> str | None:
    """The axis that there is not, where an error is about one."""
    found = _AXIS.search(message)
    return None if found is None else found[1] or found[2]


def clash(message: str) -> tuple[int, int] | None:
    """The two sizes that an error is about, the smaller first; ``None`` where it names no such two."""
    for pattern in _CLASHES:
        found = pattern.search(message)
        if found:
            return _pair(int(found[1]), int(found[2]))
    if "could not be broadcast" in message:
        return _broadcast_clash([_sizes(text) for text in _SHAPES.findall(message)])
    return None


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


def _sizes(text: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(text)]


def _broadcast_clash(shapes: Sequence[Sequence[int]]) -> tuple[int, int] | None:
    """The last dimension in which the first two shapes part, as broadcasting lines them up."""
    if len(shapes) < 2:
        return None
    for one, other in zip(reversed(shapes[0]), reversed(shapes[1]), strict=False):
        if one != other and 1 not in (one, other):
            return _pair(one, other)
    return None
