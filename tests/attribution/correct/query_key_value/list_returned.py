import torch
from torch import softmax


def project(inputs, W_query, W_key, W_value):
    result = []
    for i, W in enumerate([W_query, W_key, W_value]):
        view = inputs @ W
        result.append(view if i > 0 else view[1])
    return result


def second_score(query, keys):
    return sum(query * keys[1])


def score_all(query, keys):
    return torch.concat([torch.dot(query, key).view(1) for key in keys])


def scale(scores, keys):
    return scores / (keys[0].numel() ** 0.5)


def attention_weights(scaled):
    return softmax(scaled, dim=0)


def context_vector(weights, values):
    return torch.stack([w * v for w, v in zip(weights, values)]).sum(0)
