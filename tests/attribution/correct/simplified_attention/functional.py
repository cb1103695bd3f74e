import torch
import torch.nn.functional as F


def score(query, token):
    return F.linear(query, token.unsqueeze(0)).squeeze()


def scores_for(query, inputs):
    return F.linear(query, inputs)


def score_matrix(inputs):
    return F.linear(inputs, inputs)


def attention_weights(score_matrix):
    return F.softmax(score_matrix, dim=1)


def context_vectors(weights, inputs):
    return F.linear(weights, inputs.t())
