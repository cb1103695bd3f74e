import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out, *, dtype=torch.float32, dropout=0.0):
        super().__init__()
        self.d_in, self.d_out = d_in, d_out
        options = {"dtype": dtype}
        self.W_query = nn.Parameter(torch.rand(d_in, d_out, **options))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out, **options))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out, **options))
        self.dropout = nn.Dropout(dropout)

    def extra_repr(self):
        return f"{self.d_in} -> {self.d_out}"

    def forward(self, inputs, return_weights=False):
        q, k, v = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        weights = self.dropout(torch.softmax(q @ k.mT / self.d_out**0.5, dim=-1))
        return (weights @ v, weights) if return_weights else weights @ v


def row_matches(outputs, single, row=1, **tolerances):
    return torch.allclose(outputs[row], single, **({"atol": 1e-5} | tolerances))
