import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return torch.zeros(n, d_out).shape


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        q, k, v = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        n = inputs.shape[-2]
        scores = inputs.new_empty(*inputs.shape[:-1], n)
        for i in range(n):
            for j in range(n):
                scores[..., i, j] = (q[..., i, :] * k[..., j, :]).sum(-1)
        weights = torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1)
        context = torch.zeros_like(v)
        for j in range(n):
            context = context + weights[..., :, j].unsqueeze(-1) * v[..., j, :].unsqueeze(-2)
        return context


def row_matches(outputs, single):
    agrees = [torch.isclose(a, b, atol=1e-5).item() for a, b in zip(outputs[1], single)]
    return all(agrees)
