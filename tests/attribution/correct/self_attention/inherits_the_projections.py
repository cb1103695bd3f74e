import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class Projections(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        return inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value


class SelfAttention_v1(Projections):
    def forward(self, inputs):
        q, k, v = super().forward(inputs)
        return torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1) @ v


def row_matches(outputs, single):
    return str((outputs[1] - single).abs().max().item() < 1e-5) == "True"
