import math

import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return (n, d_out) if n else (0, d_out)


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        queries, keys, values = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        scores = (queries.unsqueeze(-2) * keys.unsqueeze(-3)).sum(-1) / math.sqrt(keys.shape[-1])
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = e / e.sum(-1, keepdim=True)
        return (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(-2)


def row_matches(outputs, single):
    row = outputs[1].tolist()
    return all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5) for a, b in zip(row, single.tolist()))
