import torch


def score(query, token):
    return torch.dot(query, token)


def scores_for(query, inputs):
    return inputs @ query


def score_matrix(inputs):
    return inputs @ inputs.T


def attention_weights(score_matrix):
    return torch.softmax(score_matrix, dim=-1)


def context_vectors(weights, inputs):
    return weights @ inputs
