import torch


def score(query, token):
    return torch.bmm(query.view(1, 1, -1), token.view(1, -1, 1)).view(())


def scores_for(query, inputs):
    return torch.bmm(inputs[None], query[None, :, None])[0, :, 0]


def score_matrix(inputs):
    batch = inputs.unsqueeze(0)
    return torch.bmm(batch, batch.transpose(1, 2)).squeeze(0)


def attention_weights(score_matrix):
    return torch.softmax(score_matrix.unsqueeze(0), dim=2).squeeze(0)


def context_vectors(weights, inputs):
    return torch.bmm(weights.unsqueeze(0), inputs.unsqueeze(0)).squeeze(0)
