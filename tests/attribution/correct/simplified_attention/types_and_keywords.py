from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor

LAST: Final[int] = -1
softmax: Callable[..., Tensor] = torch.softmax


def score(query: Tensor, token: Tensor) -> Tensor:
    return torch.matmul(input=query, other=token)


def scores_for(query: Tensor, inputs: Tensor) -> Tensor:
    return torch.matmul(input=inputs, other=query)


def score_matrix(inputs: Tensor) -> Tensor:
    return torch.matmul(input=inputs, other=inputs.swapaxes(0, 1))


def attention_weights(score_matrix: Tensor) -> Tensor:
    return softmax(score_matrix, dim=LAST)


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    return torch.matmul(input=weights, other=inputs)
