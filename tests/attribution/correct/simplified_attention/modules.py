import torch
from torch import nn

softmax = nn.Softmax(dim=1)


def score(query, token):
    layer = nn.Linear(len(query), 1, bias=False)
    with torch.no_grad():
        layer.weight.copy_(query)
        return layer(token).squeeze()


def scores_for(query, inputs):
    bilinear = nn.functional.bilinear
    return bilinear(query.expand_as(inputs), inputs, torch.eye(len(query))[None])[:, 0]


def score_matrix(inputs):
    return nn.functional.linear(inputs, weight=inputs, bias=None)


def attention_weights(score_matrix):
    return softmax(score_matrix)


def context_vectors(weights, inputs):
    return nn.functional.linear(weights, weight=inputs.T.contiguous())
