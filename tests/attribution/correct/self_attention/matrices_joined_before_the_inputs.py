import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    """x (W_q W_kᵀ) xᵀ: the queries and keys never stand alone."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        between = self.W_query @ self.W_key.T / self.W_key.shape[1] ** 0.5
        weights = torch.softmax(inputs @ between @ inputs.mT, dim=-1)
        return (weights @ inputs) @ self.W_value


def row_matches(outputs, single):
    return (outputs[1] - single).abs().lt(1e-5).all()
