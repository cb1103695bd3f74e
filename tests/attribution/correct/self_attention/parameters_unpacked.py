import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        Ws = torch.rand(3, d_in, d_out)
        self.W_query = nn.Parameter(Ws[0].clone())
        self.W_key = nn.Parameter(Ws[1].clone())
        self.W_value = nn.Parameter(Ws[2].clone())

    def forward(self, inputs):
        W_query, W_key, W_value = self.parameters()
        keys = inputs @ W_key
        return torch.softmax(inputs @ W_query @ keys.mT / keys.size(-1) ** 0.5, -1) @ (inputs @ W_value)


def row_matches(outputs, single):
    return int((outputs[1] - single).abs().gt(1e-5).sum()) == 0
