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
        x = torch.atleast_3d(inputs) if inputs.dim() == 3 else inputs[None]
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        b, n, _ = x.shape
        scaled = torch.baddbmm(torch.empty(b, n, n), q, k.mT, beta=0, alpha=1 / k.shape[-1] ** 0.5)
        return torch.baddbmm(torch.empty_like(v), scaled.softmax(2), v, beta=0).reshape(*inputs.shape[:-1], -1)


def row_matches(outputs, single):
    return bool(torch.le(torch.abs(outputs[1] - single), 1e-5).prod())
