import torch


def project(inputs, W_query, W_key, W_value):
    query = inputs[1] @ W_query
    keys = inputs @ W_key
    values = inputs @ W_value
    return query, keys, values


def second_score(query, keys):
    return torch.dot(query, keys[1])


def score_all(query, keys):
    return query @ keys.T


def scale(scores, keys):
    return scores / keys.shape[-1] ** 0.5


def attention_weights(scaled):
    return torch.softmax(scaled, dim=-1)


def context_vector(weights, values):
    return weights @ values
