"""Writes one entry of a stage's value out as the arithmetic that gives it, as one would on paper."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor

from stagegrade.pipelines._value import Value


def number(x: float) -> str:
    """At most four decimals, none where it is whole; in parentheses where it is negative."""
    x += 0.0  # There is a negative zero.
    text = f"{x:.4f}".rstrip("0").rstrip(".") if math.isfinite(x) else f"{x:g}"
    return f"({text})" if x < 0 else text


def figure(x: float) -> str:
    """A number that stands alone, after an equals sign."""
    return number(x).strip("()")


def sum_of_products(left: Iterable[Value] | Tensor, right: Iterable[Value] | Tensor) -> str:
    """Two vectors of one length: ``1·2 + 3·0 = 2``."""
    pairs = list(zip(_floats(left), _floats(right), strict=True))
    terms = " + ".join(f"{number(a)}·{number(b)}" for a, b in pairs)
    return f"{terms} = {figure(sum(a * b for a, b in pairs))}"


def over_root(numerator: Tensor, size: int) -> str:
    """A number divided by the square root of a size: ``3 / √2 = 2.1213``."""
    x = float(numerator)
    return f"{figure(x)} / √{size} = {figure(x / math.sqrt(size))}"


def share(row: Tensor, index: int) -> str:
    """One entry of the softmax of a vector: ``e^1 / (e^0 + e^1) = 0.7311``."""
    powers = [f"e^{number(x)}" for x in _floats(row)]
    return f"{powers[index]} / ({' + '.join(powers)}) = {figure(float(torch.softmax(row, dim=-1)[index]))}"


def _floats(vector: Iterable[Value] | Tensor) -> list[float]:
    values = vector.tolist() if isinstance(vector, Tensor) else vector
    return [float(x) for x in values]  # type: ignore[arg-type]
