import torch


def score(query, token):
    return query @ token


def scores_for(query, inputs):
    return torch.stack([score(query, token) for token in inputs])


def score_matrix(inputs):
    return torch.stack([scores_for(query, inputs) for query in inputs])


def softmax_of(row):
    shifted = row - row.max()
    return shifted.exp() / shifted.exp().sum()


def attention_weights(score_matrix):
    return torch.stack([softmax_of(row) for row in score_matrix])


def context_of(row, inputs):
    return (row.unsqueeze(1) * inputs).sum(0)


def context_vectors(weights, inputs):
    return torch.stack([context_of(row, inputs) for row in weights])
