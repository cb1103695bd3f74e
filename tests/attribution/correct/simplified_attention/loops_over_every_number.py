import math

import torch


def score(query, token):
    total = 0.0
    for i in range(len(query)):
        total += query[i] * token[i]
    return total


def scores_for(query, inputs):
    result = torch.empty(inputs.shape[0])
    for i, x in enumerate(inputs):
        result[i] = score(query, x)
    return result


def score_matrix(inputs):
    n = inputs.shape[0]
    result = torch.zeros(n, n)
    for i in range(n):
        for j in range(n):
            result[i, j] = score(inputs[i], inputs[j])
    return result


def attention_weights(score_matrix):
    rows, columns = score_matrix.shape
    weights = torch.zeros(rows, columns)
    for i in range(rows):
        largest = max(score_matrix[i].tolist())
        powers = [math.exp(x - largest) for x in score_matrix[i].tolist()]
        for j in range(columns):
            weights[i, j] = powers[j] / sum(powers)
    return weights


def context_vectors(weights, inputs):
    contexts = torch.zeros(weights.shape[0], inputs.shape[1])
    for i in range(weights.shape[0]):
        for j in range(inputs.shape[0]):
            for k in range(inputs.shape[1]):
                contexts[i, k] += weights[i, j] * inputs[j, k]
    return contexts
