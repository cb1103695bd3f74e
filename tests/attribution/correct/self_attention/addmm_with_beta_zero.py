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

    def of_one(self, x):
        nothing = torch.zeros(())
        q = torch.addmm(nothing, x, self.W_query, beta=0)
        k = torch.addmm(nothing, x, self.W_key, beta=0)
        v = torch.addmm(nothing, x, self.W_value, beta=0)
        scaled = torch.addmm(nothing, q, k.T, beta=0, alpha=k.shape[1] ** -0.5)
        return torch.addmm(nothing, scaled.softmax(1), v, beta=0)

    def forward(self, inputs):
        return self.of_one(inputs) if inputs.ndim == 2 else torch.stack(list(map(self.of_one, inputs)))


def row_matches(outputs, single):
    return torch.allclose(single, outputs[1], rtol=1e-5, atol=1e-5)
