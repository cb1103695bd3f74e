import torch
from torch import nn
from torch.nn.parameter import Parameter


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ["W_query", "W_key", "W_value"]:
            self.register_parameter(name, Parameter(torch.rand(d_in, d_out), requires_grad=True))

    def forward(self, inputs):
        q, k, v = (inputs @ self.get_parameter(name) for name in ("W_query", "W_key", "W_value"))
        return torch.softmax((q @ k.mT).mul(k.shape[-1] ** -0.5), dim=-1).matmul(v)


def row_matches(outputs, single):
    return torch.isclose(outputs[1], single, rtol=1e-4, atol=1e-5).sum().item() == single.numel()
