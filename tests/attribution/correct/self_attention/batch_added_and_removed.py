import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, 1 * d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        single = inputs.dim() == 2
        x = inputs.unsqueeze(0) if single else inputs
        b = x.shape[0]
        q = torch.bmm(x, self.W_query.expand(b, -1, -1))
        k = torch.bmm(x, self.W_key.expand(b, -1, -1))
        v = torch.bmm(x, self.W_value.expand(b, -1, -1))
        weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / k.shape[2] ** 0.5, dim=2)
        context = torch.bmm(weights, v)
        return context.squeeze(0) if single else context


def row_matches(outputs, single):
    return torch.allclose(outputs[1].unsqueeze(0), single.unsqueeze(0), atol=1e-5)
