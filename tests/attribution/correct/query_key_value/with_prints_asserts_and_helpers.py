import torch


def check(tensor, *shape):
    assert tuple(tensor.shape) == shape, f"expected {shape}, got {tuple(tensor.shape)}"
    return tensor


def project(inputs, W_query, W_key, W_value):
    n, d_in = inputs.shape
    d_k, d_v = W_key.shape[1], W_value.shape[1]
    query = check(inputs[1] @ W_query, d_k)
    keys = check(inputs @ W_key, n, d_k)
    values = check(inputs @ W_value, n, d_v)
    print("query", query, "keys", keys, "values", values, sep="\n")
    return query, keys, values


def second_score(query, keys):
    products = query * keys[1]
    print(products.tolist(), "add up to", products.sum().item())
    return products.sum()


def score_all(query, keys):
    scores = check(query @ keys.T, len(keys))
    assert torch.allclose(scores[1], second_score(query, keys), atol=1e-3)
    return scores


def scale(scores, keys):
    print("divided by", keys.shape[-1] ** 0.5)
    return check(scores / keys.shape[-1] ** 0.5, len(keys))


def attention_weights(scaled):
    weights = torch.softmax(scaled, dim=-1)
    assert abs(weights.sum() - 1) < 1e-5
    return weights


def context_vector(weights, values):
    return check(weights @ values, values.shape[1])
