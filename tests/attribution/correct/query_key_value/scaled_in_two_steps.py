import torch


def project(inputs, W_query, W_key, W_value):
    query, keys, values = (inputs @ W for W in (W_query, W_key, W_value))
    return query[1, :], keys[:, :], values[:, :]


def second_score(query, keys):
    return keys[1, :] @ query


def score_all(query, keys):
    return torch.einsum("...k,k->...", keys, query)


def scale(scores, keys):
    # By the fourth root, twice.
    root = keys.shape[-1] ** 0.25
    return scores / root / root


def attention_weights(scaled):
    weights = torch.ones_like(scaled)
    for i in range(len(scaled)):
        weights[i] = 1 / torch.exp((scaled - scaled[i]).double()).sum()
    return weights


def context_vector(weights, values):
    contributions = weights.view(-1, 1).expand_as(values) * values
    return contributions.sum(dim=0, keepdim=False)
