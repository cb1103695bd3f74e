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
        x = inputs.double()
        q, k, v = (x @ W.double() for W in (self.W_query, self.W_key, self.W_value))
        return (torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, dim=-1) @ v).float()


def row_matches(outputs, single):
    return torch.allclose(outputs[1].double(), single.double(), atol=1e-5)
