import functools

import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


def attention(q, k, v):
    return torch.softmax(scaled(q @ k.transpose(-2, -1), k.shape[-1]), dim=-1) @ v


def scaled(scores, d_k):
    return scores / d_k**0.5


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        make = functools.partial(torch.rand, d_in, d_out)
        self.W_query = nn.Parameter(make())
        self.W_key = nn.Parameter(make())
        self.W_value = nn.Parameter(make())

    def forward(self, inputs):
        apply = functools.partial(torch.matmul, inputs)
        return attention(*map(apply, (self.W_query, self.W_key, self.W_value)))


def row_matches(outputs, single, tolerance=1e-5):
    return functools.reduce(lambda a, b: a and b, ((outputs[1] - single).abs() < tolerance).tolist())
