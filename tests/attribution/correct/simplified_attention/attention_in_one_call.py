import torch
import torch.nn.functional as F


def score(query, token):
    return query.dot(token)


def scores_for(query, inputs):
    return torch.einsum("...d,d", inputs, query)


def score_matrix(inputs):
    return inputs @ inputs.permute(1, 0)


def attention_weights(score_matrix):
    # Values that are the unit vectors give the weights themselves.
    n = score_matrix.shape[0]
    unit = torch.eye(n)
    return F.scaled_dot_product_attention(score_matrix, unit, unit, scale=1.0)


def context_vectors(weights, inputs):
    return torch.einsum("ij,j...->i...", weights, inputs)
