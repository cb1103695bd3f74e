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

    def forward(self, inputs):
        q, k, v = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        logs = torch.log_softmax(q @ k.mT * k.shape[-1] ** -0.5, dim=-1)
        return logs.exp() @ v


def row_matches(outputs, single):
    return not (torch.abs(outputs[1] - single) > 1e-5).any()
