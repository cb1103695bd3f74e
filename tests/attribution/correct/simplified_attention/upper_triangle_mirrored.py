import torch


def score(query, token):
    return torch.sum(torch.mul(query, token))


def scores_for(query, inputs):
    return torch.sum(torch.mul(inputs, query), dim=1)


def score_matrix(inputs):
    """A token with another is that other with it: half of the work is enough."""
    n = len(inputs)
    half = torch.zeros(n, n)
    for i in range(n):
        for j in range(i, n):
            half[i, j] = inputs[i] @ inputs[j]
    return half + half.T - torch.diag(half.diagonal())


def attention_weights(score_matrix):
    return torch.nn.functional.softmax(score_matrix, dim=1)


def context_vectors(weights, inputs):
    return torch.matmul(weights, inputs)
