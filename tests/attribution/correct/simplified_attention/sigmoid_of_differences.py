import torch


def score(query, token):
    # A product by polarisation: ((a + b)² - (a - b)²) / 4.
    a, b = query.double(), token.double()
    return (((a + b) ** 2).sum() - ((a - b) ** 2).sum()) / 4


def scores_for(query, inputs):
    return inputs.matmul(query.unsqueeze(-1)).squeeze(-1)


def score_matrix(inputs):
    return inputs.matmul(inputs.transpose(0, 1))


def attention_weights(score_matrix):
    # Each weight is one over the sum of e to the difference to it.
    differences = score_matrix[:, None, :] - score_matrix[:, :, None]
    return 1 / differences.double().exp().sum(-1)


def context_vectors(weights, inputs):
    return weights.matmul(inputs)
