import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    inputs = torch.empty(n, d_in)
    W = torch.empty(d_in, d_out)
    return tuple((inputs @ W).shape)


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        W = torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
        q, k, v = (inputs @ W).chunk(3, dim=-1)
        weights = torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)
        return weights @ v


def row_matches(outputs, single):
    try:
        torch.testing.assert_close(outputs[1], single)
    except AssertionError:
        return False
    return True
