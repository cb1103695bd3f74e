import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return {"rows": n, "columns": d_out}["rows"], {"rows": n, "columns": d_out}["columns"]


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        x = inputs.double()
        W_query, W_key, W_value = self.W_query.double(), self.W_key.double(), self.W_value.double()
        scores = torch.einsum("...id,dk,ek,...je->...ij", x, W_query, W_key, x)
        weights = torch.softmax(scores / W_key.shape[1] ** 0.5, dim=-1)
        return torch.einsum("...ij,...jd,dk->...ik", weights, x, W_value).to(inputs.dtype)


def row_matches(outputs, single):
    return torch.isclose(outputs[1], single, rtol=1e-4, atol=1e-5).all().item()
