import torch
from torch import nn


def layer_of(matrix):
    """A layer whose weight, (out, in), is the transpose of a matrix (in, out)."""
    layer = nn.Linear(*matrix.shape, bias=False)
    layer.weight.data = matrix.T
    return layer


def project(inputs, W_query, W_key, W_value):
    return layer_of(W_query)(inputs[1]), layer_of(W_key)(inputs), layer_of(W_value)(inputs)


def second_score(query, keys):
    return layer_of(query[:, None])(keys[1]).squeeze()


def score_all(query, keys):
    return layer_of(keys.T)(query)


def scale(scores, keys):
    return scores / torch.tensor(keys.shape[-1]).sqrt()


def attention_weights(scaled):
    return nn.Softmax(dim=-1)(scaled)


def context_vector(weights, values):
    return layer_of(values)(weights)
