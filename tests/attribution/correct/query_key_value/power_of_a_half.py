import math

import torch


def project(inputs, W_query, W_key, W_value):
    return torch.mv(W_query.t(), inputs[1]), torch.mm(inputs, W_key), torch.mm(inputs, W_value)


def second_score(query, keys):
    return torch.inner(query, keys[1])


def score_all(query, keys):
    return torch.inner(query, keys)


def scale(scores, keys):
    return scores / math.pow(keys.shape[-1], 1 / 2)


def attention_weights(scaled):
    return torch.pow(math.e, scaled - torch.logsumexp(scaled, 0))


def context_vector(weights, values):
    return torch.inner(weights, values.mT)
