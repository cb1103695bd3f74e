import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return tuple([n, d_out])


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Parameter(torch.randn(d_in, d_out))
        self.W_key = nn.Parameter(torch.randn(d_in, d_out))
        self.W_value = nn.Parameter(torch.randn(d_in, d_out))

    def forward(self, inputs):
        keys = torch.matmul(inputs, self.W_key) * self.d_out**-0.5
        attn = torch.softmax(torch.matmul(inputs @ self.W_query, keys.swapaxes(-1, -2)), -1)
        return torch.matmul(attn, torch.matmul(inputs, self.W_value))


def row_matches(outputs, single):
    return bool(torch.isclose(outputs[1], single, atol=1e-5).all())
