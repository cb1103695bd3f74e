"""Pairs of mistakes that were once got wrong."""

from dataclasses import replace

import pytest

from stagegrade.bench._judged import judged
from stagegrade.bench._samples import module_sample
from stagegrade.pipelines import find

PAIRS = [
    # On all drawn cases there is nothing but NaN to be seen.
    (("scaling", "root-of-the-whole-quotient"), ("softmax", "log-softmax"), "one expression", 2638),
    (("scaling", "root-of-the-whole-quotient"), ("softmax", "unit-length-instead-of-unit-sum"), "einsum", 2624),
    # What the first gives does not fit the second's reference at all.
    (("scores", "keys-elementwise"), ("context", "weights-transposed-before-mixing"), "einsum", 2872),
    # Without a variable's name there are more ways through the stages than are followed.
    (("projection", "keys-and-values-swapped"), ("scaling", "times-sqrt-d_k"), "one expression", 1005),
    # Three other mistakes come to the same.
    (("scores", "keys-by-queries"), ("scaling", "sqrt-of-the-second-axis"), "NumPy", 1001),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "style", "seed"), PAIRS, ids=[str(pair[3]) for pair in PAIRS])
def test_both_mistakes_of_a_pair_are_named(
    one: tuple[str, str], other: tuple[str, str], style: str, seed: int
) -> None:
    """A student would be sent to a stage that is right, or have no verdict at all."""
    sample = module_sample(find("self_attention"), (one, other), style)
    assert sample is not None
    assert "" == judged(replace(sample, seed=seed)).complaint
