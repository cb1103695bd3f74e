import numpy as np


def score(query, token):
    return np.inner(query.numpy(), token.numpy())


def scores_for(query, inputs):
    return np.inner(inputs.numpy(), query.numpy())


def score_matrix(inputs):
    return np.inner(inputs.numpy(), inputs.numpy())


def attention_weights(score_matrix):
    shifted = np.asarray(score_matrix, dtype=np.float64)
    shifted = shifted - shifted.max(axis=-1)[:, None]
    return np.exp(shifted) / np.exp(shifted).sum(axis=-1)[:, None]


def context_vectors(weights, inputs):
    return np.asarray(weights) @ np.asarray(inputs)
