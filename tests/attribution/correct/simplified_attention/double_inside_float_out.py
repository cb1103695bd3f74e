import torch


def score(query, token):
    return (query.double() * token.double()).sum().float()


def scores_for(query, inputs):
    return (inputs.double() @ query.double()).float()


def score_matrix(inputs):
    x = inputs.to(torch.float64)
    return (x @ x.mT).to(torch.float32)


def attention_weights(score_matrix):
    return torch.softmax(score_matrix, dim=1, dtype=torch.float64).to(score_matrix.dtype)


def context_vectors(weights, inputs):
    return torch.mm(weights.double(), inputs.double()).type_as(inputs)
