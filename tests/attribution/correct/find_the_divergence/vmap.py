import torch
from torch.func import vmap


def weight_kind(weight):
    return "parameter" if "W_" in weight or ".weight" in weight else "attention"


def first_failure(snippet):
    return {0: "scaling step", 1: "query source", 2: "softmax axis", 3: "key index"}[ord(snippet) - 65]


def query_of_second_token(inputs, W_query):
    return vmap(torch.dot, in_dims=(None, 1))(inputs[1], W_query)


def second_score(query, keys):
    return vmap(torch.dot, in_dims=(None, 0))(query, keys)[1]


def scaled_scores(query, keys):
    return vmap(lambda key: query @ key / len(key) ** 0.5)(keys)


def all_contexts(inputs, W_query, W_key, W_value):
    keys, values = inputs @ W_key, inputs @ W_value

    def context_of(x):
        return torch.softmax(scaled_scores(x @ W_query, keys), dim=0) @ values

    return vmap(context_of)(inputs)
