import torch

PARAMETERS = frozenset({"W_query", "W_key", "W_value", "nn.Linear.weight"})


def weight_kind(weight):
    return "parameter" if weight in PARAMETERS else "attention"


def first_failure(snippet):
    return next(
        checkpoint
        for name, checkpoint in zip("ABCD", ("scaling step", "query source", "softmax axis", "key index"))
        if name == snippet
    )


def query_of_second_token(inputs, W_query):
    return (inputs[1].double() @ W_query.double()).float()


def second_score(query, keys):
    return (query.double() @ keys[1].double()).float()


def scaled_scores(query, keys):
    return (keys.double() @ query.double() / keys.shape[-1] ** 0.5).float()


def all_contexts(inputs, W_query, W_key, W_value):
    q, k, v = (inputs.double() @ W.double() for W in (W_query, W_key, W_value))
    return (torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, dim=-1) @ v).float()
