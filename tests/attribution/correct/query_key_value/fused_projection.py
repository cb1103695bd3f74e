import torch


def project(inputs, W_query, W_key, W_value):
    W = torch.cat([W_query, W_key, W_value], dim=1)
    sizes = [W_query.shape[1], W_key.shape[1], W_value.shape[1]]
    q, k, v = (inputs @ W).split(sizes, dim=1)
    return q[1], k, v


def second_score(query, keys):
    return query @ keys[1]


def score_all(query, keys):
    return keys @ query


def scale(scores, keys):
    return scores * keys.shape[1] ** -0.5


def attention_weights(scaled):
    return torch.nn.functional.softmax(scaled, dim=0)


def context_vector(weights, values):
    return values.T @ weights
