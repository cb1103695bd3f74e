import torch


def score(query, token):
    return torch.vdot(query, token)


def scores_for(query, inputs):
    return torch.cat([torch.vdot(query, x).reshape(1) for x in inputs])


def score_matrix(inputs):
    return torch.cat([scores_for(x, inputs).unsqueeze(0) for x in inputs])


def attention_weights(score_matrix):
    """The greatest score and the total are kept up to date, one key after another."""
    top = torch.full((score_matrix.shape[0],), float("-inf"))
    total = torch.zeros(score_matrix.shape[0])
    for column in score_matrix.T:
        new_top = torch.maximum(top, column)
        total = total * torch.exp(top - new_top) + torch.exp(column - new_top)
        top = new_top
    return torch.exp(score_matrix - top[:, None]) / total[:, None]


def context_vectors(weights, inputs):
    context = torch.zeros(weights.shape[0], inputs.shape[1])
    for column, x in zip(weights.T, inputs):
        context = context + column[:, None] * x
    return context
