import torch


def weight_kind(weight):
    return next((kind for prefix, kind in (("W_", "parameter"), ("nn", "parameter")) if weight.startswith(prefix)), "attention")


def first_failure(snippet):
    def answers():
        yield "A", "scaling step"
        yield "B", "query source"
        yield "C", "softmax axis"
        yield "D", "key index"

    return dict(answers())[snippet]


def query_of_second_token(inputs, W_query):
    tokens = iter(inputs)
    next(tokens)
    return next(tokens) @ W_query


def second_score(query, keys):
    scores = (query @ key for key in keys)
    next(scores)
    return next(scores)


def scaled_scores(query, keys):
    def one_by_one():
        for key in keys:
            yield query @ key / len(key) ** 0.5

    return torch.stack(tuple(one_by_one()))


def all_contexts(inputs, W_query, W_key, W_value):
    keys, values = inputs @ W_key, inputs @ W_value

    def contexts():
        for query in inputs @ W_query:
            yield scaled_scores(query, keys).softmax(0) @ values

    return torch.stack([*contexts()])
