import torch
from torch import nn


def score(query, token):
    return torch.inner(query, token)


def scores_for(query, inputs):
    return torch.inner(inputs, query)


def score_matrix(inputs):
    return torch.inner(inputs, inputs)


def attention_weights(score_matrix):
    return nn.functional.log_softmax(score_matrix, dim=-1).exp()


def context_vectors(weights, inputs):
    return torch.inner(weights, inputs.T)
