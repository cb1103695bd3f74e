import torch


def project(inputs, W_query, W_key, W_value):
    query, *_ = [x @ W_query for i, x in enumerate(inputs) if i == 1]
    return query, torch.stack([x @ W_key for x in inputs]), torch.stack([x @ W_value for x in inputs])


def second_score(query, keys):
    return [query @ key for key in keys][1]


def score_all(query, keys):
    return torch.tensor([float(query @ key) for key in keys])


def scale(scores, keys):
    return torch.tensor([float(score) / keys.shape[1] ** 0.5 for score in scores])


def attention_weights(scaled):
    shifted = [x - scaled.max() for x in scaled]
    return torch.stack([x.exp() / sum(y.exp() for y in shifted) for x in shifted])


def context_vector(weights, values):
    return sum(w * v for w, v in zip(weights, values))
