import functools
import operator

import torch


def score(query, token):
    return functools.reduce(operator.add, map(operator.mul, query, token))


def scores_for(query, inputs):
    return operator.matmul(inputs, query)


def score_matrix(inputs):
    return torch.stack(list(map(functools.partial(scores_for, inputs=inputs), inputs)))


def attention_weights(score_matrix):
    powers = (score_matrix - score_matrix.max(dim=1, keepdim=True)[0]).exp()
    return operator.truediv(powers, powers.sum(dim=1, keepdim=True))


def context_vectors(weights, inputs):
    return functools.reduce(operator.add, (torch.outer(weights[:, j], inputs[j]) for j in range(len(inputs))))
