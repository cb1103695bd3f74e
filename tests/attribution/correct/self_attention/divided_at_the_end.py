import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    """The exponentials mix the values, and only the mixture is divided by their sum."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        q, k, v = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        s = q @ k.mT / k.shape[-1] ** 0.5
        e = torch.exp(s - s.max(dim=-1, keepdim=True).values.detach())
        return (e @ v) / e.sum(dim=-1, keepdim=True)


def row_matches(outputs, single):
    return (outputs - single).abs().amax(dim=-1)[1].item() < 1e-5
