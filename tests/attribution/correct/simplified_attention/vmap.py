import torch
from torch.func import vmap


def score(query, token):
    return torch.dot(query, token)


scores_for = vmap(score, in_dims=(None, 0))


def score_matrix(inputs):
    return vmap(scores_for, in_dims=(0, None))(inputs, inputs)


def attention_weights(score_matrix):
    return vmap(lambda row: torch.softmax(row, dim=0))(score_matrix)


def context_vectors(weights, inputs):
    return vmap(lambda row: row @ inputs)(weights)
