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
        self.register_buffer("root", torch.tensor(float(d_out)).sqrt())

    def forward(self, inputs):
        queries = inputs @ self.W_query
        keys = inputs @ self.W_key
        attn = (queries @ keys.transpose(-2, -1) / self.root).softmax(dim=-1)
        self.attn = attn.detach()
        return attn @ (inputs @ self.W_value)


def row_matches(outputs, single):
    mask = torch.zeros(len(outputs), dtype=torch.bool)
    mask[1] = True
    return torch.allclose(outputs[mask][0], single, atol=1e-5)
