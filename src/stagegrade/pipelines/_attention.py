"""The reference mathematics of attention, written once for one query, for all queries, and for a batch.

Shapes are of the last dimensions; any further ones come first. Source of the formulas: Vaswani et al.,
"Attention Is All You Need" (2017), equation 1.
"""

import math

import torch
from torch import Tensor

from stagegrade.pipelines._working import over_root, share, sum_of_products

# Six tokens of three dimensions: Your, journey, starts, with, one, step.
SENTENCE = (
    (0.43, 0.15, 0.89),
    (0.55, 0.87, 0.66),
    (0.57, 0.85, 0.64),
    (0.22, 0.58, 0.33),
    (0.77, 0.25, 0.10),
    (0.05, 0.80, 0.55),
)
# The query of the worked example is the second token's.
QUERY_INDEX = 1
WORKED_SEED = 123
WORKED_D_OUT = 2


def worked_inputs() -> Tensor:
    """The worked example's tokens, (6, 3)."""
    return torch.tensor(SENTENCE)


def worked_weights() -> dict[str, Tensor]:
    """W_query, W_key and W_value of the worked example, each (3, 2), drawn in that order."""
    generator = torch.Generator().manual_seed(WORKED_SEED)
    return {
        name: torch.rand(3, WORKED_D_OUT, generator=generator) for name in ("W_query", "W_key", "W_value")
    }


def attention_scores(query: Tensor, keys: Tensor) -> Tensor:
    """(…, d_k) or (…, n, d_k) by (…, n, d_k) gives (…, n) or (…, n, n): rows are queries, columns are keys."""
    return query @ keys.transpose(-2, -1)


def scaled_scores(scores: Tensor, keys: Tensor) -> Tensor:
    """The scores divided by √d_k, the square root of the keys' last dimension."""
    return scores / math.sqrt(keys.shape[-1])


def attention_weights(scaled: Tensor) -> Tensor:
    """Softmax over the keys, the last dimension: positive, each row sums to one."""
    return torch.softmax(scaled, dim=-1)


def context_vectors(weights: Tensor, values: Tensor) -> Tensor:
    """(…, n) by (…, n, d_v): each value counted by its weight, summed."""
    return weights @ values


def working_of_scores(name: str, at: tuple[int, ...], query: Tensor, keys: Tensor) -> str:
    """One score written out: for one query ``at`` is the key's index, for several the query's and the key's."""
    del name
    return sum_of_products(query if query.dim() == 1 else query[at[0]], keys[at[-1]])


def working_of_scaling(name: str, at: tuple[int, ...], scores: Tensor, keys: Tensor) -> str:
    """One scaled score written out."""
    del name
    return over_root(scores[at], keys.shape[-1])


def working_of_softmax(name: str, at: tuple[int, ...], scaled: Tensor) -> str:
    """One attention weight written out."""
    del name
    return share(scaled[at[:-1]], at[-1])


def working_of_context(name: str, at: tuple[int, ...], weights: Tensor, values: Tensor) -> str:
    """One entry of a context vector written out."""
    del name
    return sum_of_products(weights[at[:-1]], values[:, at[-1]])
