import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return (n,) + (d_out,)


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        q = torch.einsum("...nd,dk->...nk", inputs, self.W_query)
        k = torch.einsum("...nd,dk->...nk", inputs, self.W_key)
        v = torch.einsum("...nd,dk->...nk", inputs, self.W_value)
        s = torch.einsum("...qk,...nk->...qn", q, k) / self.W_key.shape[1] ** 0.5
        a = s.softmax(dim=-1)
        return torch.einsum("...qn,...nk->...qk", a, v)


def row_matches(outputs, single):
    difference = outputs[1] - single
    return torch.einsum("i,i->", difference, difference).sqrt().item() < 1e-4
