import torch


def weight_kind(weight):
    kind = "parameter"
    if weight in ("softmax(scores)", "attn_weights", "share of each token in a context vector"):
        kind = "attention"
    return kind


def first_failure(snippet):
    checkpoint = "key index"
    if snippet == "A":
        checkpoint = "scaling step"
    if snippet == "B":
        checkpoint = "query source"
    if snippet == "C":
        checkpoint = "softmax axis"
    return checkpoint


def query_of_second_token(inputs, W_query):
    query = torch.empty(W_query.shape[1])
    torch.matmul(inputs[1], W_query, out=query)
    return query


def second_score(query, keys):
    query *= keys[1]
    return query.sum()


def scaled_scores(query, keys):
    scores = query @ keys.T
    scores /= keys.shape[-1] ** 0.5
    return scores


def all_contexts(inputs, W_query, W_key, W_value):
    scaled = (inputs @ W_query) @ (inputs @ W_key).T
    scaled.div_(W_key.shape[1] ** 0.5)
    scaled.sub_(scaled.max(dim=-1, keepdim=True)[0]).exp_()
    scaled.div_(scaled.sum(dim=-1, keepdim=True))
    return scaled @ (inputs @ W_value)
