import torch


def project(inputs, W_query, W_key, W_value):
    product = lambda matrix: torch.tensordot(inputs, matrix, dims=1)
    return product(W_query)[1], product(W_key), product(W_value)


def second_score(query, keys):
    return torch.tensordot(query, keys[1], dims=1)


def score_all(query, keys):
    return torch.tensordot(keys, query, dims=([1], [0]))


def scale(scores, keys):
    return torch.divide(scores, torch.sqrt(torch.tensor(keys.shape[-1])))


def attention_weights(scaled):
    e = torch.exp(torch.subtract(scaled, torch.max(scaled)))
    return torch.divide(e, torch.sum(e))


def context_vector(weights, values):
    return torch.tensordot(weights, values, dims=([0], [0]))
