import math

import torch


def weight_kind(weight):
    if "softmax" in weight:
        return "attention"
    if "attn" in weight:
        return "attention"
    if "share" in weight:
        return "attention"
    return "parameter"


def first_failure(snippet):
    if snippet == "A":
        return "scaling step"
    elif snippet == "B":
        return "query source"
    elif snippet == "C":
        return "softmax axis"
    else:
        return "key index"


def query_of_second_token(inputs, W_query):
    query = torch.zeros(W_query.shape[1])
    for j in range(W_query.shape[1]):
        for i in range(inputs.shape[1]):
            query[j] += inputs[1, i] * W_query[i, j]
    return query


def second_score(query, keys):
    total = 0.0
    for q, k in zip(query, keys[1]):
        total += q * k
    return total


def scaled_scores(query, keys):
    scaled = torch.zeros(len(keys))
    for t, key in enumerate(keys):
        for q, k in zip(query, key):
            scaled[t] += q * k
        scaled[t] /= math.sqrt(len(key))
    return scaled


def all_contexts(inputs, W_query, W_key, W_value):
    keys = torch.stack([x @ W_key for x in inputs])
    values = torch.stack([x @ W_value for x in inputs])
    contexts = []
    for x in inputs:
        scaled = scaled_scores(x @ W_query, keys)
        weights = torch.softmax(scaled, dim=0)
        context = torch.zeros(values.shape[1])
        for w, v in zip(weights, values):
            context += w * v
        contexts.append(context)
    return torch.stack(contexts)
