import torch


def score(query, token):
    return (query * token).sum()


def scores_for(query, inputs):
    return (query * inputs).sum(dim=-1)


def score_matrix(inputs):
    return (inputs[:, None, :] * inputs[None, :, :]).sum(dim=-1)


def attention_weights(score_matrix):
    e = (score_matrix - score_matrix.max(dim=-1, keepdim=True).values).exp()
    return e / e.sum(dim=-1, keepdim=True)


def context_vectors(weights, inputs):
    return (weights[:, :, None] * inputs[None, :, :]).sum(dim=1)
