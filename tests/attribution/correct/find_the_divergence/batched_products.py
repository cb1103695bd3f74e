import torch


def weight_kind(weight):
    words = weight.replace("_", " ").replace("(", " ").split()
    return "parameter" if words[0] in ("W", "nn.Linear.weight") else "attention"


def first_failure(snippet):
    return "scaling step,query source,softmax axis,key index".split(",")[int(snippet, 16) - 10]


def query_of_second_token(inputs, W_query):
    return torch.bmm(inputs[None, 1:2], W_query[None])[0, 0]


def second_score(query, keys):
    return torch.bmm(query[None, None], keys[None, 1, :, None]).squeeze()


def scaled_scores(query, keys):
    zeros = torch.zeros(1, len(keys), 1)
    alpha = keys.shape[1] ** -0.5
    return torch.baddbmm(zeros, keys[None], query[None, :, None], beta=0, alpha=alpha).flatten()


def all_contexts(inputs, W_query, W_key, W_value):
    three = inputs.expand(3, *inputs.shape)
    if W_key.shape == W_value.shape:
        q, k, v = torch.bmm(three, torch.stack([W_query, W_key, W_value]))
    else:
        q, k = torch.bmm(three[:2], torch.stack([W_query, W_key]))
        v = inputs @ W_value
    weights = torch.baddbmm(
        torch.zeros(1, len(q), len(k)), q[None], k.T[None], beta=0, alpha=k.shape[1] ** -0.5
    ).softmax(-1)
    return torch.bmm(weights, v[None])[0]
