import torch
from torch.nn import functional


def weight_kind(weight):
    try:
        {"W_query": 1, "W_key": 1, "W_value": 1, "nn.Linear.weight": 1}[weight]
    except KeyError:
        return "attention"
    return "parameter"


def first_failure(snippet):
    try:
        return {"A": "scaling step", "B": "query source", "C": "softmax axis"}[snippet]
    except KeyError:
        return "key index"


def query_of_second_token(inputs, W_query):
    return torch.inner(inputs[1], W_query.T)


def second_score(query, keys):
    return torch.inner(query, keys[1])


def scaled_scores(query, keys):
    return torch.inner(keys, query) * torch.tensor(keys.shape[-1]).rsqrt()


def all_contexts(inputs, W_query, W_key, W_value):
    queries, keys, values = inputs.mm(W_query), inputs.mm(W_key), inputs.mm(W_value)
    logs = functional.log_softmax(torch.inner(queries, keys) / keys.size(1) ** 0.5, dim=1)
    return torch.exp(logs).mm(values)
