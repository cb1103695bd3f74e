import math

import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    rows, columns = n, d_out
    return rows, columns


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        queries = (inputs @ self.W_query) / math.sqrt(self.W_query.shape[1])
        keys = inputs @ self.W_key
        values = inputs @ self.W_value
        weights = torch.softmax(queries @ keys.transpose(-1, -2), dim=-1)
        return weights @ values


def row_matches(outputs, single):
    return bool((outputs[1] - single).abs().max() < 1e-5)
