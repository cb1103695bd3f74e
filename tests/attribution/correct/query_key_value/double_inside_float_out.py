import torch


def project(inputs, W_query, W_key, W_value):
    x = inputs.double()
    return (
        (x[1] @ W_query.double()).float(),
        (x @ W_key.double()).float(),
        (x @ W_value.double()).float(),
    )


def second_score(query, keys):
    return torch.dot(query.double(), keys[1].double()).float()


def score_all(query, keys):
    return torch.mv(keys.double(), query.double()).float()


def scale(scores, keys):
    root = torch.sqrt(torch.tensor(keys.size(1), dtype=torch.float64))
    return (scores.double() / root).float()


def attention_weights(scaled):
    return torch.softmax(scaled, dim=0, dtype=torch.float64).float()


def context_vector(weights, values):
    return (weights.double() @ values.double()).float()
