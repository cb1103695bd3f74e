import math

import torch


def score(query, token):
    return math.fsum(q * t for q, t in zip(query.tolist(), token.tolist()))


def scores_for(query, inputs):
    return torch.tensor([score(query, x) for x in inputs])


def score_matrix(inputs):
    return torch.tensor([[score(a, b) for b in inputs] for a in inputs])


def attention_weights(score_matrix):
    weights = []
    for row in score_matrix.tolist():
        top = max(row)
        powers = [math.exp(x - top) for x in row]
        total = math.fsum(powers)
        weights.append([p / total for p in powers])
    return torch.tensor(weights)


def context_vectors(weights, inputs):
    w, x = weights.tolist(), inputs.tolist()
    return torch.tensor(
        [[math.fsum(w_ij * x_j[k] for w_ij, x_j in zip(row, x)) for k in range(len(x[0]))] for row in w]
    )
