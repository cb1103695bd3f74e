import torch


def score(query, token):
    return (query[None, :] @ token[:, None])[0, 0]


def scores_for(query, inputs):
    columns = inputs.T  # (d, n)
    return query @ columns


def score_matrix(inputs):
    columns = inputs.T  # (d, n)
    return columns.T @ columns


def attention_weights(score_matrix):
    # One query a column.
    turned = score_matrix.T
    return torch.softmax(turned, dim=0).T


def context_vectors(weights, inputs):
    return (inputs.T @ weights.T).T
