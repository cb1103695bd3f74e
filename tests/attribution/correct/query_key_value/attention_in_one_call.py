import torch
import torch.nn.functional as F


def project(inputs, W_query, W_key, W_value):
    return tuple(x @ W for x, W in ((inputs[1], W_query), (inputs, W_key), (inputs, W_value)))


def second_score(query, keys):
    return F.bilinear(query[None], keys[1][None], torch.eye(len(query))[None])[0, 0]


def score_all(query, keys):
    return F.conv1d(keys.unsqueeze(1), query.view(1, 1, -1)).flatten()


def scale(scores, keys):
    return scores / torch.tensor([keys.shape[-1]]).sqrt()


def attention_weights(scaled):
    n = len(scaled)
    return F.scaled_dot_product_attention(scaled[None], torch.eye(n), torch.eye(n), scale=1.0)[0]


def context_vector(weights, values):
    # Logarithms of the weights as scores: softmax gives the weights back.
    tiny = torch.finfo(torch.float64).tiny
    scores = weights.double().clamp_min(tiny).log()
    n = len(weights)
    return F.scaled_dot_product_attention(scores[None], torch.eye(n).double(), values.double(), scale=1.0)[0]
