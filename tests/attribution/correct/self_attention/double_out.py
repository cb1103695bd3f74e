import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out, dtype=torch.float64))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out, dtype=torch.float64))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out, dtype=torch.float64))

    def forward(self, inputs):
        inputs = inputs.to(self.W_query.dtype)
        q, k, v = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        return torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1) @ v


def row_matches(outputs, single):
    return torch.dist(outputs[1].double(), single.double(), p=float("inf")).item() < 1e-5
