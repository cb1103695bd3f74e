import torch


def project(inputs, W_query, W_key, W_value):
    batch = inputs[None]
    query = torch.bmm(batch[:, 1:2], W_query[None])
    return query[0, 0], torch.bmm(batch, W_key[None])[0], torch.bmm(batch, W_value[None])[0]


def second_score(query, keys):
    return torch.bmm(query.view(1, 1, -1), keys[1].view(1, -1, 1)).flatten()[0]


def score_all(query, keys):
    return torch.baddbmm(torch.zeros(1, len(keys), 1), keys[None], query[None, :, None], beta=0).flatten()


def scale(scores, keys):
    return torch.baddbmm(
        torch.zeros(1, 1, len(scores)), torch.ones(1, 1, 1), scores.view(1, 1, -1), alpha=keys.shape[1] ** -0.5
    ).flatten()


def attention_weights(scaled):
    return torch.softmax(scaled.view(1, 1, -1), dim=2).flatten()


def context_vector(weights, values):
    return torch.bmm(weights.view(1, 1, -1), values[None]).flatten()
