"""Describes a wrong output that no mistake of the catalogue explains, in words a student knows."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._outcome import Answered
from stagegrade.diagnosis._trial import Trial, expected_output
from stagegrade.pipelines import Stage


def describe(stage: Stage, trials: Sequence[Trial]) -> str | None:
    """A sentence that holds on every case where a tensor came back, or ``None``."""
    pairs = []
    for trial in trials:
        expected = expected_output(stage, trial.trace)
        if not isinstance(trial.alone, Answered):
            continue
        got = trial.alone.value
        if not isinstance(expected, Tensor) or not isinstance(got, Tensor) or got.is_complex():
            return None
        pairs.append((trial, expected, got))
    if not pairs:
        return None
    for sentence, holds in _DESCRIPTIONS:
        if all(holds(expected, got) for _, expected, got in pairs):
            return sentence
    worked = next((got for trial, _, got in pairs if trial.case.seed == 0), None)
    if worked is not None and len(pairs) > 1 and all(same(worked, got) for _, _, got in pairs):
        return "It gives the worked example's answer whatever the input."
    return _constant_factor([(e, g) for _, e, g in pairs]) or _other_value(stage, pairs)


def _transposed(expected: Tensor, got: Tensor) -> bool:
    return expected.dim() >= 2 and same(expected.transpose(-2, -1), got)


def _rows_permuted(expected: Tensor, got: Tensor) -> bool:
    if expected.dim() < 1 or got.shape != expected.shape:
        return False
    return same(torch.sort(expected, dim=0).values, torch.sort(got.to(expected.dtype), dim=0).values)


def _not_finite(expected: Tensor, got: Tensor) -> bool:
    return not bool(torch.isfinite(got).all())


def _batch_added(expected: Tensor, got: Tensor) -> bool:
    return same(expected.unsqueeze(0), got)


def _column(expected: Tensor, got: Tensor) -> bool:
    return same(expected.unsqueeze(-1), got)


_DESCRIPTIONS: tuple[tuple[str, Callable[[Tensor, Tensor], bool]], ...] = (
    (
        "The numbers are right but the matrix is transposed: rows and columns have changed places.",
        _transposed,
    ),
    ("The numbers are right but have a dimension of size 1 in front.", _batch_added),
    ("The numbers are right but stand in a column: there is a dimension of size 1 at the end.", _column),
    ("The numbers are right but not in order.", _rows_permuted),
    ("The output holds NaN or infinity.", _not_finite),
)


def _constant_factor(pairs: list[tuple[Tensor, Tensor]]) -> str | None:
    factors = []
    for expected, got in pairs:
        if got.shape != expected.shape or not bool((expected.abs() > 1e-3).any()):
            return None
        at = int(expected.abs().argmax())
        factor = float(got.flatten()[at].double() / expected.flatten()[at].double())
        if factor == 0 or not same(expected.double() * factor, got.double()):
            return None
        factors.append(factor)
    if max(factors) - min(factors) < 1e-3 * abs(factors[0]):
        return f"Every number is {factors[0]:.4g} times what it should be."
    listed = ", ".join(f"{factor:.4g}" for factor in factors[:3])
    return (
        f"Every number of a case is the same multiple of what it should be ({listed}, … on different cases)."
    )


def _other_value(stage: Stage, pairs: Sequence[tuple[Trial, Tensor, Tensor]]) -> str | None:
    names = [name for name in pairs[0][0].trace if name not in stage.gives]
    for name in names:
        if all(name in trial.trace and same(trial.trace[name], got) for trial, _, got in pairs):
            return f"The output is `{name}`, unchanged."
    return None
