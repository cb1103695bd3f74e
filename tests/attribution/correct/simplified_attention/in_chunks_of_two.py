import torch


def score(query, token):
    return torch.stack([a @ b for a, b in zip(query.split(2), token.split(2))]).sum()


def scores_for(query, inputs):
    return torch.cat([part @ query for part in inputs.split(2)])


def score_matrix(inputs):
    return torch.cat([part @ inputs.T for part in inputs.split(2)], dim=0)


def attention_weights(score_matrix):
    return torch.cat([part.softmax(-1) for part in score_matrix.chunk(2)])


def context_vectors(weights, inputs):
    return torch.cat([part @ inputs for part in torch.split(weights, 2)])
