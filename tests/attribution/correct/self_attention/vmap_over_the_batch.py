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

    def one_sequence(self, x):
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        return torch.softmax(q @ k.T / k.shape[1] ** 0.5, dim=1) @ v

    def forward(self, inputs):
        if inputs.dim() == 2:
            return self.one_sequence(inputs)
        return torch.func.vmap(self.one_sequence)(inputs)


def row_matches(outputs, single):
    return torch.func.vmap(lambda a, b: (a - b).abs() < 1e-5)(outputs[1], single).all().item()
