import torch


def weight_kind(weight):
    if weight in ("W_query", "W_key", "W_value", "nn.Linear.weight"):
        return "parameter"
    return "attention"


def first_failure(snippet):
    found = {"A": "scaling step", "B": "query source", "C": "softmax axis", "D": "key index"}
    return found[snippet]


def query_of_second_token(inputs, W_query):
    query = inputs[1] @ W_query
    return query


def second_score(query, keys):
    second_score = query @ keys[1]
    return second_score


def scaled_scores(query, keys):
    scores = query @ keys.T
    scaled = scores / keys.shape[-1] ** 0.5
    return scaled


def all_contexts(inputs, W_query, W_key, W_value):
    queries, keys, values = inputs @ W_query, inputs @ W_key, inputs @ W_value
    scaled = queries @ keys.T / keys.shape[-1] ** 0.5
    weights = torch.softmax(scaled, dim=-1)
    return weights @ values
