import torch


def dot(a, b, axis=-1):
    return (a * b).sum(axis)


def normalised(table, axis):
    return table / table.sum(axis, keepdim=True)


def score(query, token):
    return dot(query, token)


def scores_for(query, inputs):
    return dot(inputs, query)


def score_matrix(inputs):
    return dot(inputs.unsqueeze(1), inputs.unsqueeze(0))


def attention_weights(score_matrix):
    return normalised(torch.exp(score_matrix - score_matrix.amax(-1, keepdim=True)), axis=-1)


def context_vectors(weights, inputs):
    return dot(weights.unsqueeze(2), inputs.unsqueeze(0), axis=1)
