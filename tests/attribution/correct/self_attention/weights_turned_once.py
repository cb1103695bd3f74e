import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        linear = nn.functional.linear
        q = linear(inputs, self.W_query.T)
        k = linear(inputs, self.W_key.T)
        v = linear(inputs, self.W_value.T)
        scores = k @ q.transpose(-1, -2)
        weights = nn.functional.softmax(scores.transpose(-1, -2) / k.shape[-1] ** 0.5, dim=-1)
        return weights @ v


def row_matches(outputs, single):
    return torch.equal(torch.round((outputs[1] - single) * 1e4), torch.zeros_like(single))
