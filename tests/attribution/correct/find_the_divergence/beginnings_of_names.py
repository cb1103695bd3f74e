import torch.nn.functional as F


def weight_kind(weight):
    is_matrix = weight.startswith("W_") or weight.endswith(".weight")
    return "parameter" if is_matrix else "attention"


def first_failure(snippet):
    return ["scaling step", "query source", "softmax axis", "key index"]["ABCD".index(snippet)]


def query_of_second_token(inputs, W_query):
    return F.linear(inputs[1], W_query.T)


def second_score(query, keys):
    return F.linear(query, keys)[1]


def scaled_scores(query, keys):
    return F.linear(query, keys) * keys.shape[-1] ** -0.5


def all_contexts(inputs, W_query, W_key, W_value):
    q, k, v = (F.linear(inputs, W.T) for W in (W_query, W_key, W_value))
    return F.scaled_dot_product_attention(q, k, v)
