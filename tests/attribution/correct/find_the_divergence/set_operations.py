import math

import torch

ALL = {
    "W_query",
    "softmax(scores)",
    "W_key",
    "attn_weights",
    "nn.Linear.weight",
    "W_value",
    "share of each token in a context vector",
}
LEARNED = {name for name in ALL if "W_" in name or "Linear" in name}
COMPUTED = ALL - LEARNED


def weight_kind(weight):
    return "parameter" if {weight} & LEARNED else "attention"


def first_failure(snippet):
    wrong = {
        "A": ["scaling step", "softmax axis"],
        "B": ["query source"],
        "C": ["softmax axis"],
        "D": ["key index", "scaling step"],
    }
    order = ["query source", "key index", "scaling step", "softmax axis"]
    return min(wrong[snippet], key=order.index)


def query_of_second_token(inputs, W_query):
    return inputs[-len(inputs) + 1] @ W_query


def second_score(query, keys):
    return query.matmul(keys[1 - len(keys)])


def scaled_scores(query, keys):
    return torch.matmul(query.unsqueeze(0), keys.T).squeeze(0) / math.sqrt(query.numel())


def all_contexts(inputs, W_query, W_key, W_value):
    queries, keys, values = (torch.matmul(inputs, W) for W in (W_query, W_key, W_value))
    scaled = torch.matmul(queries, keys.swapaxes(0, 1)) / math.sqrt(queries.shape[-1])
    weights = torch.exp(scaled - torch.logsumexp(scaled, dim=-1, keepdim=True))
    return torch.matmul(weights, values)
