"""A ``forward`` that is wrong in a way the catalogue does not have: the right stage is told, and what is seen there."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from stagegrade.diagnosis import first_divergence
from tests.judge import layers
from tests.judge.desk import hand, judge_of

STAGES = ("projection", "scores", "scaling", "softmax", "context")


class TurnedAtTheEnd(layers.Parameters):
    def forward(self, inputs: Tensor) -> Any:
        return super().forward(inputs).mT


class QueriesPlusOne(layers.Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        scores = (queries + 1) @ keys.mT
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values


class QueriesPlusOneByName(layers.Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        queries = queries + 1
        return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1) @ values


class SquaresForExponentials(layers.Parameters):
    def forward(self, inputs: Tensor) -> Any:
        queries, keys, values = self.project(inputs)
        squares = (queries @ keys.mT / keys.shape[-1] ** 0.5) ** 2
        return squares / squares.sum(-1, keepdim=True) @ values


class NothingButNaN(layers.Parameters):
    def forward(self, inputs: Tensor) -> Any:
        return super().forward(inputs) * float("nan")


ODD = [
    (TurnedAtTheEnd, "context", "rows and columns have changed places"),
    # Whose line it is, a variable's name tells: it holds the right queries, or does so no longer.
    (QueriesPlusOne, "scores", "something else than the right `scores`"),
    (QueriesPlusOneByName, "projection", "`query`: Every number is off by the same amount."),
    (SquaresForExponentials, "softmax", "On the worked example: expected [0.1551"),
    (NothingButNaN, "context", "The output holds NaN or infinity."),
]


@pytest.mark.parametrize(("kind", "stage", "said"), ODD, ids=[kind.__name__ for kind, _, _ in ODD])
def test_an_odd_forward_is_told_where_it_is_odd_and_how(kind: type[nn.Module], stage: str, said: str) -> None:
    """A student would be sent to an earlier stage that is right, or be told a mistake that was not made."""
    judge = judge_of("self_attention")
    found = {name: hand(judge, name, kind) for name in STAGES}
    assert stage == first_divergence(list(found.values()))
    assert said in found[stage].message
    assert [None] * 5 == [found[name].mistake for name in STAGES]
    assert [stage] == [name for name in STAGES if not found[name].passed]
