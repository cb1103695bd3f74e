import torch


@torch.no_grad()
def project(inputs, W_query, W_key, W_value):
    return (inputs[1] @ W_query).detach(), (inputs @ W_key).detach(), (inputs @ W_value).detach()


@torch.inference_mode()
def second_score(query, keys):
    return (query @ keys[1]).item()


@torch.inference_mode()
def score_all(query, keys):
    return query @ keys.T


@torch.inference_mode()
def scale(scores, keys):
    return scores / keys.shape[-1] ** 0.5


def attention_weights(scaled):
    with torch.no_grad():
        return scaled.softmax(dim=-1)


def context_vector(weights, values):
    with torch.inference_mode():
        return weights @ values
