"""Finds the constant that a wrong output is a multiple of, and what that constant is in terms of the sizes."""

import math
from collections.abc import Callable, Mapping, Sequence

from torch import Tensor

from stagegrade.diagnosis._compare import same

_FORMS: tuple[tuple[str, Callable[[int], float]], ...] = (
    ("√{}", math.sqrt),
    ("{}", float),
    ("1/√{}", lambda size: 1 / math.sqrt(size)),
    ("1/{}", lambda size: 1 / size),
    ("2/√{}", lambda size: 2 / math.sqrt(size)),
    ("√{}/2", lambda size: math.sqrt(size) / 2),
    ("1/(2·√{})", lambda size: 1 / (2 * math.sqrt(size))),
    ("1/(2·{})", lambda size: 1 / (2 * size)),
    ("{}·√{}", lambda size: size * math.sqrt(size)),
    ("1/({}·√{})", lambda size: 1 / (size * math.sqrt(size))),
    ("{}²", lambda size: float(size * size)),
    ("1/{}²", lambda size: 1 / (size * size)),
)
_CONSTANTS = (
    (math.sqrt(2), "√2"),
    (1 / math.sqrt(2), "1/√2"),
    (math.log(2), "ln 2"),
    (1 / math.log(2), "1/ln 2"),
)
CLOSE = 1e-4


def constant_factor(pairs: Sequence[tuple[Mapping[str, int], Tensor, Tensor]]) -> str | None:
    """A sentence about what every number is multiplied by, from (sizes, expected, got) of each case."""
    factors = []
    for _, expected, got in pairs:
        factor = _factor(expected, got)
        if factor is None:
            return None
        factors.append(factor)
    if len(factors) < 2 or _close(factors, [1.0] * len(factors)):
        return None
    if _close(factors, [factors[0]] * len(factors)):
        return f"Every number is {_named(factors[0])} times what it should be."
    for name in pairs[0][0]:
        for form, function in _FORMS:
            if _close(factors, [function(sizes.get(name, 1)) for sizes, _, _ in pairs]):
                return f"Every number is {form.replace('{}', name)} times what it should be."
    for one, other in ((one, other) for one in pairs[0][0] for other in pairs[0][0] if one != other):
        if _close(factors, [math.sqrt(sizes[one] / sizes[other]) for sizes, _, _ in pairs]):
            return f"Every number is √{one}/√{other} times what it should be."
    listed = ", ".join(f"{factor:.4g}" for factor in factors[:3])
    return (
        f"Every number of a case is the same multiple of what it should be ({listed}, … on different cases)."
    )


def _factor(expected: Tensor, got: Tensor) -> float | None:
    if got.shape != expected.shape or not bool((expected.abs() > 1e-3).any()):
        return None
    at = int(expected.abs().argmax())
    factor = float(got.flatten()[at].double() / expected.flatten()[at].double())
    if factor == 0 or not math.isfinite(factor) or not same(expected.double() * factor, got.double()):
        return None
    return factor


def _close(factors: Sequence[float], wanted: Sequence[float]) -> bool:
    return all(abs(a - b) <= CLOSE * abs(b) for a, b in zip(factors, wanted, strict=True))


def _named(factor: float) -> str:
    for value, name in _CONSTANTS:
        if _close([factor], [value]):
            return name
    return f"{factor:.4g}"
