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
        if inputs.dim() > 2:
            return torch.stack([self(x) for x in inputs.unbind(0)], dim=0)
        q = torch.tensordot(inputs, self.W_query, dims=1)
        k = torch.tensordot(inputs, self.W_key, dims=1)
        v = torch.tensordot(inputs, self.W_value, dims=1)
        a = torch.softmax(torch.tensordot(q, k, dims=([1], [1])) / k.shape[1] ** 0.5, dim=1)
        return torch.tensordot(a, v, dims=([1], [0]))


def row_matches(outputs, single):
    return torch.linalg.norm(outputs[1] - single, ord=torch.inf) < 1e-5
