import torch.nn.functional as F


def project(inputs, W_query, W_key, W_value):
    return F.linear(inputs[1], W_query.T), F.linear(inputs, W_key.T), F.linear(inputs, W_value.T)


def second_score(query, keys):
    return F.linear(query, keys[1:2])[0]


def score_all(query, keys):
    return F.linear(query, keys)


def scale(scores, keys):
    return scores.div(keys.size(-1) ** 0.5)


def attention_weights(scaled):
    return F.softmax(scaled, dim=-1)


def context_vector(weights, values):
    return F.linear(weights, values.T)
