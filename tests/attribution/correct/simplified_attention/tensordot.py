import torch


def score(query, token):
    return torch.tensordot(query, token, dims=1)


def scores_for(query, inputs):
    return torch.tensordot(inputs, query, dims=([1], [0]))


def score_matrix(inputs):
    return torch.tensordot(inputs, inputs, dims=([1], [1]))


def attention_weights(score_matrix):
    e = torch.exp(score_matrix - score_matrix.max(1)[0].view(-1, 1))
    return e.div(e.sum(1).view(-1, 1))


def context_vectors(weights, inputs):
    return torch.tensordot(weights, inputs, dims=1)
