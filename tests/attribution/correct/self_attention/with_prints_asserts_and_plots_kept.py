import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    """As many rows as tokens, as many columns as the matrices have."""
    shape = (n, d_out)
    print("expecting", shape)
    return shape


class SelfAttention_v1(nn.Module):
    calls = 0

    def __init__(self, d_in, d_out):
        super().__init__()
        print(f"a layer from {d_in} to {d_out}")
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        self.history = []

    def forward(self, inputs):
        SelfAttention_v1.calls += 1
        q, k, v = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        assert q.shape == k.shape == v.shape
        scores = q @ k.transpose(-2, -1)
        weights = torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1)
        sums = weights.sum(dim=-1)
        assert torch.allclose(sums, torch.ones_like(sums), atol=1e-4), sums
        self.history.append(weights.detach())
        print("weights", weights)
        return weights @ v


def row_matches(outputs, single):
    print("row 1", outputs[1], "single", single)
    assert outputs[1].shape == single.shape
    return torch.allclose(outputs[1], single, rtol=1e-4, atol=1e-6)
