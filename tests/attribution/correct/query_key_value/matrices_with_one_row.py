import torch


def project(inputs, W_query, W_key, W_value):
    row = inputs[1:2] @ W_query  # (1, d_k)
    return row.squeeze(0), inputs @ W_key, inputs @ W_value


def second_score(query, keys):
    return (query.unsqueeze(0) @ keys[1:2].T).squeeze()


def score_all(query, keys):
    return (query.unsqueeze(0) @ keys.T).squeeze(0)


def scale(scores, keys):
    return (scores.unsqueeze(0) / keys.shape[-1] ** 0.5).squeeze(0)


def attention_weights(scaled):
    return torch.softmax(scaled.unsqueeze(0), dim=1).squeeze(0)


def context_vector(weights, values):
    return (weights.unsqueeze(0) @ values).squeeze(0)
