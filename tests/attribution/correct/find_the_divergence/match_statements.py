import math

import torch


def weight_kind(weight):
    match weight:
        case "W_query" | "W_key" | "W_value" | "nn.Linear.weight":
            return "parameter"
        case _:
            return "attention"


def first_failure(snippet):
    match snippet:
        case "A":
            return "scaling step"
        case "B":
            return "query source"
        case "C":
            return "softmax axis"
        case "D":
            return "key index"


def query_of_second_token(inputs, W_query):
    return torch.mv(W_query.T, inputs[1])


def second_score(query, keys):
    return torch.dot(keys[1], query)


def scaled_scores(query, keys):
    return torch.mv(keys, query) / math.sqrt(keys.shape[1])


def all_contexts(inputs, W_query, W_key, W_value):
    scaled = torch.mm(torch.mm(inputs, W_query), torch.mm(inputs, W_key).t()) / math.sqrt(W_key.shape[1])
    return torch.mm(torch.softmax(scaled, 1), torch.mm(inputs, W_value))
