import torch


def weight_kind(weight):
    return "parameter" if any(part in weight for part in ("W_", "Linear")) else "attention"


def first_failure(snippet):
    names, answers = zip(
        ("A", "scaling step"),
        ("B", "query source"),
        ("C", "softmax axis"),
        ("D", "key index"),
    )
    return answers[names.index(snippet)]


def query_of_second_token(inputs, W_query):
    return (inputs[1].unsqueeze(1) * W_query).sum(dim=0)


def second_score(query, keys):
    return (query * keys).sum(dim=1)[1]


def scaled_scores(query, keys):
    return (query * keys).sum(dim=1) / keys.shape[1] ** 0.5


def all_contexts(inputs, W_query, W_key, W_value):
    q, k, v = ((inputs.unsqueeze(2) * W).sum(dim=1) for W in (W_query, W_key, W_value))
    scaled = (q.unsqueeze(1) * k.unsqueeze(0)).sum(-1) / k.shape[1] ** 0.5
    e = torch.exp(scaled - scaled.amax(dim=1, keepdim=True))
    w = e / e.sum(dim=1, keepdim=True)
    return (w.unsqueeze(2) * v.unsqueeze(0)).sum(1)
