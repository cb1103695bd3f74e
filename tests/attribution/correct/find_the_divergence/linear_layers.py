import torch
from torch import nn


def weight_kind(weight):
    has_a_layer = {"W_query": True, "W_key": True, "W_value": True, "nn.Linear.weight": True}
    return "parameter" if has_a_layer.get(weight) else "attention"


def first_failure(snippet):
    return {
        "A": "scaling step",
        "B": "query source",
        "C": "softmax axis",
        "D": "key index",
    }[snippet]


def project(x, matrix):
    layer = nn.Linear(*matrix.shape, bias=False)
    layer.weight = nn.Parameter(matrix.T)
    return layer(x)


def query_of_second_token(inputs, W_query):
    return project(inputs[1], W_query)


def second_score(query, keys):
    return project(query, keys.T)[1]


def scaled_scores(query, keys):
    return project(query, keys.T) / keys.shape[-1] ** 0.5


def all_contexts(inputs, W_query, W_key, W_value):
    queries, keys, values = (project(inputs, W) for W in (W_query, W_key, W_value))
    weights = nn.Softmax(dim=-1)(project(queries, keys.T) / keys.shape[-1] ** 0.5)
    return project(weights, values)
