import math

import torch


def row_times(row, matrix):
    return [math.fsum(a * b for a, b in zip(row, column)) for column in zip(*matrix)]


def project(inputs, W_query, W_key, W_value):
    rows = inputs.tolist()
    return (
        torch.tensor(row_times(rows[1], W_query.tolist())),
        torch.tensor([row_times(row, W_key.tolist()) for row in rows]),
        torch.tensor([row_times(row, W_value.tolist()) for row in rows]),
    )


def second_score(query, keys):
    return math.fsum(a * b for a, b in zip(query.tolist(), keys[1].tolist()))


def score_all(query, keys):
    return torch.tensor([math.fsum(a * b for a, b in zip(query.tolist(), key)) for key in keys.tolist()])


def scale(scores, keys):
    root = math.sqrt(len(keys.tolist()[0]))
    return torch.tensor([s / root for s in scores.tolist()])


def attention_weights(scaled):
    top = max(scaled.tolist())
    powers = [math.exp(s - top) for s in scaled.tolist()]
    return torch.tensor([p / math.fsum(powers) for p in powers])


def context_vector(weights, values):
    return torch.tensor(row_times(weights.tolist(), values.tolist()))
