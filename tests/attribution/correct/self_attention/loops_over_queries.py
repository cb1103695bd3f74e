import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    if d_in < 1:
        raise ValueError("no numbers in an input vector")
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        keys, values = inputs @ self.W_key, inputs @ self.W_value
        rows = []
        for i in range(inputs.shape[-2]):
            query = inputs[..., i : i + 1, :] @ self.W_query
            weights = torch.softmax(query @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
            rows.append(weights @ values)
        return torch.cat(rows, dim=-2)


def row_matches(outputs, single):
    return torch.sum(torch.abs(outputs[1] - single)) < 1e-4
