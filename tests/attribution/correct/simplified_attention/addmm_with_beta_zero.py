import torch


def score(query, token):
    return torch.addmv(torch.zeros(1), token.unsqueeze(0), query, beta=0)[0]


def scores_for(query, inputs):
    return torch.addmv(torch.empty(len(inputs)), inputs, query, beta=0)


def score_matrix(inputs):
    return torch.addmm(torch.empty(1, 1), inputs, inputs.T, beta=0)


def attention_weights(score_matrix):
    return torch.exp(score_matrix - torch.logsumexp(score_matrix, dim=1, keepdim=True))


def context_vectors(weights, inputs):
    return torch.addmm(torch.zeros(()), weights, inputs, beta=0, alpha=1)
