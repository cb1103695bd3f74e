import math

import torch
from torch import Tensor


def project(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    keys: Tensor = torch.mm(input=inputs, mat2=W_key)
    values: Tensor = torch.mm(input=inputs, mat2=W_value)
    query: Tensor = torch.mm(input=inputs, mat2=W_query)[1]
    return query, keys, values


def second_score(query: Tensor, keys: Tensor) -> float:
    return torch.dot(input=query, tensor=keys[1]).item()


def score_all(query: Tensor, keys: Tensor) -> Tensor:
    return torch.mv(input=keys, vec=query)


def scale(scores: Tensor, keys: Tensor, *, dim: int = -1) -> Tensor:
    return torch.div(scores, math.sqrt(keys.shape[dim]))


def attention_weights(scaled: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(input=scaled, dim=dim)


def context_vector(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(input=weights, other=values)
