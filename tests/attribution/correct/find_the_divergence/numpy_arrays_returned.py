import numpy as np


def weight_kind(weight):
    return str(np.where(weight in ["W_query", "W_key", "W_value", "nn.Linear.weight"], "parameter", "attention"))


def first_failure(snippet):
    order = np.array(["scaling step", "query source", "softmax axis", "key index"])
    return str(order[ord(snippet) - ord("A")])


def query_of_second_token(inputs, W_query):
    return np.asarray(inputs)[1] @ np.asarray(W_query)


def second_score(query, keys):
    return np.inner(np.asarray(query), np.asarray(keys)[1])


def scaled_scores(query, keys):
    return np.inner(np.asarray(keys), np.asarray(query)) / keys.shape[1] ** 0.5


def all_contexts(inputs, W_query, W_key, W_value):
    q, k, v = (np.asarray(inputs, dtype=np.float64) @ np.asarray(W) for W in (W_query, W_key, W_value))
    e = np.exp((q @ k.T) / k.shape[1] ** 0.5 - ((q @ k.T) / k.shape[1] ** 0.5).max(1)[:, None])
    return (e / e.sum(1)[:, None]) @ v
