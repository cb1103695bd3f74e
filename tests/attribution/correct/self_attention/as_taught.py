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
        queries = inputs @ self.W_query
        keys = inputs @ self.W_key
        values = inputs @ self.W_value
        scores = queries @ keys.transpose(-2, -1)
        scaled = scores / keys.shape[-1] ** 0.5
        weights = torch.softmax(scaled, dim=-1)
        return weights @ values


def row_matches(outputs, single):
    return torch.allclose(outputs[1], single, rtol=1e-4, atol=1e-6)
