import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return (n, d_out)


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, dim=-1) @ v


def row_matches(outputs, single):
    return torch.allclose(outputs[1], single)
