from functools import partial

import torch

softmax = partial(torch.softmax, dim=-1)
attention_weights = softmax
context_vector = torch.matmul
second_of = partial(torch.select, dim=0, index=1)


def project(inputs, W_query, W_key, W_value):
    apply = partial(torch.matmul, inputs)
    return second_of(apply(W_query)), apply(W_key), apply(W_value)


def second_score(query, keys):
    return torch.matmul(query, second_of(keys))


score_all = lambda query, keys: torch.matmul(keys, query)


def scale(scores, keys):
    return torch.mul(scores, pow(keys.size(dim=1), -0.5))
