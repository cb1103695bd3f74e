import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    columns_by_rows = (d_out, n)
    return columns_by_rows[::-1]


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        x = inputs.mT  # (..., d_in, n)
        q, k, v = self.W_query.T @ x, self.W_key.T @ x, self.W_value.T @ x
        scores = k.mT @ q / k.shape[-2] ** 0.5  # (..., keys, queries)
        return (v @ torch.softmax(scores, dim=-2)).mT


def row_matches(outputs, single):
    return torch.allclose(outputs.T[:, 1], single, atol=1e-5)
