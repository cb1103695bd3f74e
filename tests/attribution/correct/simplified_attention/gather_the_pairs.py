import itertools

import torch


def score(query, token):
    return torch.prod(torch.stack([query, token]), dim=0).sum()


def scores_for(query, inputs):
    return torch.prod(torch.stack([query.expand_as(inputs), inputs]), dim=0).sum(1)


def score_matrix(inputs):
    n = len(inputs)
    left, right = zip(*itertools.product(range(n), repeat=2))
    return (inputs[list(left)] * inputs[list(right)]).sum(1).reshape(n, n)


def attention_weights(score_matrix):
    result = torch.empty_like(score_matrix)
    for i, row in enumerate(score_matrix.unbind()):
        result[i] = row.softmax(0)
    return result


def context_vectors(weights, inputs):
    rows = []
    for row in weights.unbind(0):
        rows.append(torch.sum(torch.diag(row) @ inputs, dim=0))
    return torch.stack(rows, 0)
