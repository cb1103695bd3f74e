import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def attend(self, queries, keys, values):
        return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1) @ values

    def forward(self, inputs):
        keys, values = self.W_key(inputs), self.W_value(inputs)
        parts = self.W_query(inputs).split(2, dim=-2)
        return torch.cat([self.attend(part, keys, values) for part in parts], dim=-2)


def row_matches(outputs, single):
    return torch.allclose(outputs.narrow(0, 1, 1).squeeze(0), single, atol=1e-6, rtol=1e-5)
