"""The check that students write: strict enough to tell row 1 from its neighbours, and no stricter."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.judge.desk import alone, hand, judge_of

Check = Callable[[Tensor, Tensor], Any]

LENIENT: dict[str, Check] = {
    "absolute tolerance of 1e-3": lambda rows, one: torch.allclose(rows[1], one, atol=1e-3),
    "absolute tolerance of 1e-2": lambda rows, one: torch.allclose(rows[1], one, atol=1e-2),
    "relative tolerance of 1e-3": lambda rows, one: torch.allclose(rows[1], one, rtol=1e-3),
    "relative tolerance of 1e-2": lambda rows, one: torch.allclose(rows[1], one, rtol=1e-2),
    "two decimals": lambda rows, one: torch.equal(rows[1].round(decimals=2), one.round(decimals=2)),
    "sum of the differences": lambda rows, one: abs((rows[1] - one).sum()) < 1e-5,
    "sums": lambda rows, one: torch.isclose(rows[1].sum(), one.sum()),
    "means": lambda rows, one: torch.isclose(rows[1].mean(), one.mean(), atol=1e-3),
    "lengths": lambda rows, one: torch.isclose(rows[1].norm(), one.norm()),
    "sorted": lambda rows, one: torch.allclose(rows[1].sort().values, one.sort().values),
    "the first entry": lambda rows, one: torch.isclose(rows[1][0], one[0]),
    "mean square under 1e-6": lambda rows, one: ((rows[1] - one) ** 2).mean() < 1e-6,
    "no check at all": lambda rows, one: True,
}

STRICT: dict[str, Check] = {
    "torch's own tolerances": lambda rows, one: torch.allclose(rows[1], one),
    "absolute tolerance of 1e-4": lambda rows, one: torch.allclose(rows[1], one, atol=1e-4),
    "both of 1e-4": lambda rows, one: torch.allclose(rows[1], one, rtol=1e-4, atol=1e-4),
    "absolute alone, of 1e-6": lambda rows, one: torch.allclose(rows[1], one, rtol=0, atol=1e-6),
    "sum of the absolute differences": lambda rows, one: (rows[1] - one).abs().sum() < 1e-4,
    "length of the difference": lambda rows, one: torch.linalg.norm(rows[1] - one) < 1e-4,
    "NumPy": lambda rows, one: np.allclose(rows.numpy()[1], one.numpy()),
    "plain numbers": lambda rows, one: max(abs(a - b) for a, b in zip(rows[1], one, strict=True)) < 1e-5,
}
SEEDS = range(5)


@pytest.mark.parametrize("check", LENIENT.values(), ids=LENIENT)
def test_a_check_that_cannot_tell_right_from_wrong_is_wrong(check: Check) -> None:
    """A student would be told that a check is right which agrees with row 2, or with entries in another order."""
    passed = [s for s in SEEDS if hand(judge_of("self_attention", s), "single_token_check", check).passed]
    assert [] == passed


@pytest.mark.parametrize("check", STRICT.values(), ids=STRICT)
def test_a_check_up_to_rounding_is_right_by_whatever_measure(check: Check) -> None:
    """A student whose check is strict, and measures in another way, would be blamed."""
    failed = [s for s in SEEDS if not hand(judge_of("self_attention", s), "single_token_check", check).passed]
    assert [] == failed


NAMED = {
    "absolute tolerance of 1e-3": "tolerance-too-wide",
    "absolute tolerance of 1e-2": "tolerance-too-wide",
    "sum of the differences": "compares-the-sums",
    "means": "compares-the-means-loosely",
    "no check at all": "always-agrees",
}


@pytest.mark.parametrize("name", NAMED)
def test_what_is_wrong_with_a_check_is_named(name: str) -> None:
    """A student would see a vector that was taken for the row, and not why."""
    assert NAMED[name] == alone("self_attention", "single_token_check", LENIENT[name]).mistake
