import torch


def score(query, token):
    return torch.dot(query.double(), token.double())


def scores_for(query, inputs):
    return torch.mv(inputs.double(), query.double())


def score_matrix(inputs):
    x = inputs.double()
    return torch.mm(x, x.t())


def attention_weights(score_matrix):
    return score_matrix.double().softmax(dim=1)


def context_vectors(weights, inputs):
    return torch.mm(weights.double(), inputs.double())
