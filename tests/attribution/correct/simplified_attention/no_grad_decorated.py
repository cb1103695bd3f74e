import torch


@torch.no_grad()
def score(query, token):
    return torch.linalg.vecdot(query, token)


@torch.no_grad()
def scores_for(query, inputs):
    return torch.linalg.vecdot(inputs, query)


@torch.inference_mode()
def score_matrix(inputs):
    return torch.linalg.multi_dot([inputs, torch.eye(inputs.shape[1]), inputs.T])


@torch.no_grad()
def attention_weights(score_matrix):
    return torch.special.softmax(score_matrix, dim=-1)


@torch.no_grad()
def context_vectors(weights, inputs):
    return torch.linalg.multi_dot([weights, inputs])
