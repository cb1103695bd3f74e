import torch


def project(inputs, W_query, W_key, W_value):
    inputs, W_query, W_key, W_value = (t.to(torch.float64) for t in (inputs, W_query, W_key, W_value))
    return inputs[1].matmul(W_query), inputs.matmul(W_key), inputs.matmul(W_value)


def second_score(query, keys):
    return (query.double() * keys[1].double()).sum()


def score_all(query, keys):
    return (keys.double() * query.double()).sum(1)


def scale(scores, keys):
    return scores.double() / torch.tensor(float(keys.shape[1]), dtype=torch.double).sqrt()


def attention_weights(scaled):
    return scaled.double().softmax(0)


def context_vector(weights, values):
    return weights.double() @ values.double()
