import numpy as np
import torch


def score(query, token):
    return torch.tensor(np.dot(query.numpy(), token.numpy()))


def scores_for(query, inputs):
    return torch.from_numpy(np.dot(inputs.numpy(), query.numpy()))


def score_matrix(inputs):
    x = inputs.numpy()
    return torch.from_numpy(np.matmul(x, x.T))


def attention_weights(score_matrix):
    s = score_matrix.numpy()
    s = np.exp(s - s.max(axis=1, keepdims=True))
    return torch.from_numpy(s / s.sum(axis=1, keepdims=True))


def context_vectors(weights, inputs):
    return torch.from_numpy(np.matmul(weights.numpy(), inputs.numpy()))
