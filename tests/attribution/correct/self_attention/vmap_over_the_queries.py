import torch
from torch import nn
from torch.func import vmap


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def one_query(self, query, keys, values):
        return torch.softmax(keys @ query / len(query) ** 0.5, dim=0) @ values

    def forward(self, inputs):
        attend = vmap(self.one_query, in_dims=(0, None, None))
        if inputs.dim() == 3:
            attend = vmap(attend)
        return attend(inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value)


def row_matches(outputs, single):
    return bool(vmap(torch.isclose)(outputs[1], single).all())
