import math

import torch


def weight_kind(weight):
    for beginning in ["W_", "nn.Linear"]:
        if weight.startswith(beginning):
            return "parameter"
    return "attention"


def first_failure(snippet):
    i = 0
    while "ABCD"[i] != snippet:
        i += 1
    return ("scaling step", "query source", "softmax axis", "key index")[i]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def product(a, b):
    columns = list(zip(*b))
    return [[dot(row, column) for column in columns] for row in a]


def softmax(row):
    powers = [math.exp(x - max(row)) for x in row]
    return [p / math.fsum(powers) for p in powers]


def query_of_second_token(inputs, W_query):
    return torch.tensor(product([inputs[1].tolist()], W_query.tolist())[0])


def second_score(query, keys):
    return dot(query.tolist(), keys[1].tolist())


def scaled_scores(query, keys):
    return torch.tensor([dot(query.tolist(), key) / math.sqrt(len(key)) for key in keys.tolist()])


def all_contexts(inputs, W_query, W_key, W_value):
    x = inputs.tolist()
    q, k, v = (product(x, W.tolist()) for W in (W_query, W_key, W_value))
    weights = [softmax([dot(row, key) / math.sqrt(len(key)) for key in k]) for row in q]
    return torch.tensor(product(weights, v))
