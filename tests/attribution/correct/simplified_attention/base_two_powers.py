import math

import torch


def score(query, token):
    return torch.hstack((query,)) @ token.ravel()


def scores_for(query, inputs):
    return inputs.matmul(query)


def score_matrix(inputs):
    return torch.kron(torch.ones(1, 1), inputs) @ inputs.T


def attention_weights(score_matrix):
    # e^x is 2^(x · log2 e).
    powers = torch.exp2((score_matrix - score_matrix.amax(dim=1, keepdim=True)) * math.log2(math.e))
    return torch.nn.functional.normalize(powers, p=1, dim=1)


def context_vectors(weights, inputs):
    return weights.matmul(inputs)
