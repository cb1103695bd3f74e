import operator
from functools import lru_cache, partial, reduce

import torch


@lru_cache
def weight_kind(weight):
    return "parameter" if reduce(operator.or_, (weight == p for p in ("W_query", "W_key", "W_value", "nn.Linear.weight"))) else "attention"


@lru_cache(maxsize=4)
def first_failure(snippet):
    return operator.itemgetter(snippet)(
        {"A": "scaling step", "B": "query source", "C": "softmax axis", "D": "key index"}
    )


def query_of_second_token(inputs, W_query):
    return reduce(torch.add, (x * row for x, row in zip(inputs[1], W_query)))


def second_score(query, keys):
    return reduce(operator.add, map(operator.mul, query, keys[1]))


def scaled_scores(query, keys):
    return torch.stack(list(map(partial(torch.dot, query / keys.shape[-1] ** 0.5), keys)))


def all_contexts(inputs, W_query, W_key, W_value):
    queries, keys, values = map(partial(torch.matmul, inputs), (W_query, W_key, W_value))
    weights = torch.stack([scaled_scores(query, keys).softmax(0) for query in queries])
    return reduce(torch.add, (w[:, None] * v for w, v in zip(weights.T, values)))
