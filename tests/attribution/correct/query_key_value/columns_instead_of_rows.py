import torch


def project(inputs, W_query, W_key, W_value):
    x = inputs.T  # a token a column
    return W_query.T @ x[:, 1], (W_key.T @ x).T, (W_value.T @ x).T


def second_score(query, keys):
    columns = keys.T
    return query @ columns[:, 1]


def score_all(query, keys):
    column = keys @ query[:, None]
    return column[:, 0]


def scale(scores, keys):
    return scores / len(keys.T) ** 0.5


def attention_weights(scaled):
    column = scaled[:, None]
    return torch.softmax(column, dim=0).flatten()


def context_vector(weights, values):
    return (values.T @ weights[:, None])[:, 0]
