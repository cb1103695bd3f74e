import torch


def score(query, token):
    return torch.dot(query.requires_grad_(), token)


def scores_for(query, inputs):
    return inputs.clone().requires_grad_() @ query


def score_matrix(inputs):
    x = torch.nn.Parameter(inputs.clone())
    return x @ x.T


def attention_weights(score_matrix):
    return torch.softmax(torch.nn.Parameter(score_matrix), dim=-1)


def context_vectors(weights, inputs):
    return torch.nn.Parameter(weights.clone()) @ inputs
