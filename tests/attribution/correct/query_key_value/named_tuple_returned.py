from typing import NamedTuple

import torch


class Views(NamedTuple):
    query: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor


def project(inputs, W_query, W_key, W_value):
    return Views(query=inputs[1] @ W_query, values=inputs @ W_value, keys=inputs @ W_key)


def second_score(query, keys):
    return torch.linalg.vecdot(query, keys[1])


def score_all(query, keys):
    return torch.linalg.vecdot(query.unsqueeze(0), keys)


def scale(scores, keys):
    return scores / torch.linalg.vector_norm(torch.ones(keys.shape[-1]))


def attention_weights(scaled):
    return torch.special.softmax(scaled, 0)


def context_vector(weights, values):
    return torch.linalg.multi_dot([weights, values])
