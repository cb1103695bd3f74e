from enum import Enum

import torch


class Checkpoint(Enum):
    QUERY = "query source"
    KEY = "key index"
    SCALING = "scaling step"
    SOFTMAX = "softmax axis"


FIRST = {"A": Checkpoint.SCALING, "B": Checkpoint.QUERY, "C": Checkpoint.SOFTMAX, "D": Checkpoint.KEY}


def weight_kind(weight):
    trained = {"W_query", "W_key", "W_value", "nn.Linear.weight"}
    return ("attention", "parameter")[weight in trained]


def first_failure(snippet):
    return FIRST[snippet].value


def query_of_second_token(inputs, W_query):
    return (inputs @ W_query)[1]


def second_score(query, keys):
    return (keys @ query)[1]


def scaled_scores(query, keys):
    return (keys / keys.shape[-1] ** 0.5) @ query


def all_contexts(inputs, W_query, W_key, W_value):
    keys = inputs @ W_key / W_key.shape[-1] ** 0.5
    return torch.softmax(inputs @ W_query @ keys.T, dim=1) @ (inputs @ W_value)
