import numpy as np
import torch


def as_array(tensor):
    return tensor.detach().cpu().numpy().astype(np.float64)


def score(query, token):
    return float((as_array(query) * as_array(token)).sum())


def scores_for(query, inputs):
    return torch.as_tensor((as_array(inputs) * as_array(query)).sum(axis=1))


def score_matrix(inputs):
    x = as_array(inputs)
    return torch.as_tensor((x[:, None, :] * x[None, :, :]).sum(axis=2))


def attention_weights(score_matrix):
    x = as_array(score_matrix)
    x = np.exp(x - np.max(x, axis=1, keepdims=True))
    return torch.as_tensor(x / np.sum(x, axis=1, keepdims=True))


def context_vectors(weights, inputs):
    w, x = as_array(weights), as_array(inputs)
    return torch.as_tensor((w[:, :, None] * x[None, :, :]).sum(axis=1))
