import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    """Key by key, with the greatest score so far and the total so far."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        q, k, v = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        q = q / q.shape[-1] ** 0.5
        top = torch.full_like(q[..., :1], -torch.inf)
        total = torch.zeros_like(top)
        mixed = torch.zeros_like(v)
        for j in range(k.shape[-2]):
            s = (q * k[..., j : j + 1, :]).sum(-1, keepdim=True)
            new = torch.maximum(top, s)
            total = total * torch.exp(top - new) + torch.exp(s - new)
            mixed = mixed * torch.exp(top - new) + torch.exp(s - new) * v[..., j : j + 1, :]
            top = new
        return mixed / total


def row_matches(outputs, single):
    return all(torch.isclose(outputs[1], single, rtol=1e-4, atol=1e-5))
