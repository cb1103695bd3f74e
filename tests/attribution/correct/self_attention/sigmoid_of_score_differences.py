import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    """Each weight is 1 over the sum of e to the other scores' lead over its own."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        q, k = inputs @ self.W_query, inputs @ self.W_key
        s = (q @ k.mT / k.shape[-1] ** 0.5).double()
        leads = s.unsqueeze(-2) - s.unsqueeze(-1)
        weights = torch.exp(-torch.logsumexp(leads, dim=-1)).to(inputs.dtype)
        return weights @ (inputs @ self.W_value)


def row_matches(outputs, single):
    return max(abs(float(a) - float(b)) for a, b in zip(outputs[1], single)) < 1e-5
