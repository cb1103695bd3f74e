import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return divmod(n * d_out, d_out)[0], d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        *batch, n, d_in = inputs.shape
        tokens = inputs.reshape(-1, d_in)  # every token of every sequence
        q, k, v = ((tokens @ W).view(*batch, n, -1) for W in (self.W_query, self.W_key, self.W_value))
        weights = ((q @ k.mT) / q.shape[-1] ** 0.5).softmax(dim=-1)
        return (weights @ v).view(*batch, n, -1)


def row_matches(outputs, single):
    return bool(torch.all(torch.abs(outputs[1] - single) <= 1e-5 + 1e-5 * torch.abs(single)))
