import torch


def score(query, token):
    return torch.einsum("i,i->", query, token)


def scores_for(query, inputs):
    return torch.einsum("d,nd->n", query, inputs)


def score_matrix(inputs):
    return torch.einsum("id,jd->ij", inputs, inputs)


def attention_weights(score_matrix):
    e = torch.exp(score_matrix - score_matrix.amax(1, keepdim=True))
    return torch.einsum("ij,i->ij", e, 1 / torch.einsum("ij->i", e))


def context_vectors(weights, inputs):
    return torch.einsum("ij,jd->id", weights, inputs)
