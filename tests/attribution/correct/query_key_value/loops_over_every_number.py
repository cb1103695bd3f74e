import math

import torch


def times(vector, matrix):
    result = torch.zeros(matrix.shape[1])
    for j in range(matrix.shape[1]):
        for i in range(matrix.shape[0]):
            result[j] += vector[i] * matrix[i, j]
    return result


def project(inputs, W_query, W_key, W_value):
    keys, values = [], []
    for x in inputs:
        keys.append(times(x, W_key))
        values.append(times(x, W_value))
    return times(inputs[1], W_query), torch.stack(keys), torch.stack(values)


def second_score(query, keys):
    s = 0
    for i in range(query.shape[0]):
        s = s + query[i] * keys[1, i]
    return s


def score_all(query, keys):
    scores = torch.zeros(keys.shape[0])
    for t in range(keys.shape[0]):
        for i in range(query.shape[0]):
            scores[t] += query[i] * keys[t][i]
    return scores


def scale(scores, keys):
    scaled = scores.clone()
    for t in range(len(scores)):
        scaled[t] = scores[t] / math.sqrt(len(keys[0]))
    return scaled


def attention_weights(scaled):
    top = max(float(x) for x in scaled)
    total = 0.0
    for x in scaled:
        total += math.exp(x - top)
    weights = torch.empty(len(scaled))
    for t, x in enumerate(scaled):
        weights[t] = math.exp(x - top) / total
    return weights


def context_vector(weights, values):
    context = torch.zeros(values.shape[1])
    for t in range(values.shape[0]):
        context += weights[t] * values[t]
    return context
