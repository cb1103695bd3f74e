import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return torch.Size([n, d_out])


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))

    def forward(self, inputs):
        W = torch.stack([self.W_query, self.W_key, self.W_value])  # (3, d_in, d_out)
        q, k, v = torch.einsum("...nd,pde->p...ne", inputs, W).unbind(0)
        scores = torch.einsum("...ie,...je->...ij", q, k) / k.size(-1) ** 0.5
        return torch.einsum("...ij,...je->...ie", torch.softmax(scores, -1), v)


def row_matches(outputs, single):
    return torch.allclose(outputs.select(0, 1), single, 1e-4, 1e-5)
