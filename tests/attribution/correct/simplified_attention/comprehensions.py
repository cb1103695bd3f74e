import torch


def score(query, token):
    return sum(q * t for q, t in zip(query, token))


def scores_for(query, inputs):
    return torch.stack([score(query, x) for x in inputs])


def score_matrix(inputs):
    return torch.stack([torch.stack([a @ b for b in inputs]) for a in inputs])


def attention_weights(score_matrix):
    return torch.stack([torch.softmax(row, dim=0) for row in score_matrix])


def context_vectors(weights, inputs):
    return torch.stack([sum(w * x for w, x in zip(row, inputs)) for row in weights])
