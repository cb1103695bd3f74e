import torch


def project(inputs, W_query, W_key, W_value):
    return (
        torch.einsum("d,dk->k", inputs[1], W_query),
        torch.einsum("nd,dk->nk", inputs, W_key),
        torch.einsum("nd,dv->nv", inputs, W_value),
    )


def second_score(query, keys):
    return torch.einsum("k,k", query, keys[1])


def score_all(query, keys):
    return torch.einsum("k,nk->n", query, keys)


def scale(scores, keys):
    n, d_k = keys.shape
    return torch.einsum("n,->n", scores, torch.tensor(d_k**-0.5))


def attention_weights(scaled):
    e = torch.exp(scaled - scaled.max())
    return e / torch.einsum("n->", e)


def context_vector(weights, values):
    return torch.einsum("n,nv->v", weights, values)
