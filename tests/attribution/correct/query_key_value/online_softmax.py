import torch


def project(inputs, W_query, W_key, W_value):
    keys = torch.vstack([x @ W_key for x in inputs])
    values = torch.vstack([x @ W_value for x in inputs])
    return torch.hstack([inputs[1] @ column for column in W_query.T]), keys, values


def second_score(query, keys):
    return torch.tensor([float(a) * float(b) for a, b in zip(query, keys[1])]).sum()


def score_all(query, keys):
    return torch.hstack([query @ key for key in keys])


def scale(scores, keys):
    return torch.true_divide(scores, keys.shape[-1] ** 0.5)


def attention_weights(scaled):
    top, total = torch.tensor(float("-inf")), torch.tensor(0.0)
    for s in scaled:
        new = torch.maximum(top, s)
        total = total * torch.exp(top - new) + torch.exp(s - new)
        top = new
    return torch.exp(scaled - top) / total


def context_vector(weights, values):
    context = torch.zeros(values.shape[1])
    seen = torch.tensor(0.0)
    # A running average: each value moves it by its share of the weight so far.
    for w, v in zip(weights.clamp_min(1e-30), values):
        seen = seen + w
        context = context + (v - context) * (w / seen)
    return context
