import numpy as np


def project(inputs, W_query, W_key, W_value):
    x = np.array(inputs)
    return x[1] @ np.array(W_query), x @ np.array(W_key), x @ np.array(W_value)


def second_score(query, keys):
    return np.dot(np.array(query), np.array(keys)[1])


def score_all(query, keys):
    return np.dot(np.array(keys), np.array(query))


def scale(scores, keys):
    return np.array(scores) / np.sqrt(keys.shape[-1])


def attention_weights(scaled):
    e = np.exp(np.array(scaled) - np.max(np.array(scaled)))
    return e / np.sum(e)


def context_vector(weights, values):
    return np.average(np.array(values), axis=0, weights=np.array(weights))
