import torch


def project(inputs, W_query, W_key, W_value):
    # A sum over d_in may be taken in two parts.
    half = inputs.shape[1] // 2
    first, second = inputs[:, :half], inputs[:, half:]
    query, keys, values = (first @ W[:half] + second @ W[half:] for W in (W_query, W_key, W_value))
    return query[1], keys, values


def second_score(query, keys):
    half = len(query) // 2
    return query[:half] @ keys[1, :half] + query[half:] @ keys[1, half:]


def score_all(query, keys):
    top, bottom = keys.tensor_split(2)
    return torch.cat((top @ query, bottom @ query))


def scale(scores, keys):
    return torch.cat([part / keys.shape[-1] ** 0.5 for part in scores.chunk(3)])


def attention_weights(scaled):
    left, right = scaled.tensor_split(2)
    top = scaled.max()
    left, right = (left - top).exp(), (right - top).exp()
    total = left.sum() + right.sum()
    return torch.cat([left / total, right / total])


def context_vector(weights, values):
    (w1, w2), (v1, v2) = weights.tensor_split(2), values.tensor_split(2)
    return w1 @ v1 + w2 @ v2
