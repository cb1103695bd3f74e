import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return int(n), int(d_out)


class SelfAttention_v1(nn.Module):
    """A batch is laid end to end, and tokens of other sequences are masked."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        n = inputs.shape[-2]
        x = inputs.flatten(0, -2)
        sequence = torch.arange(len(x)) // n
        foreign = sequence[:, None] != sequence[None, :]
        scores = (x @ self.W_query) @ (x @ self.W_key).T / self.W_key.shape[1] ** 0.5
        weights = torch.softmax(scores.masked_fill(foreign, -torch.inf), dim=-1)
        return (weights @ (x @ self.W_value)).reshape(*inputs.shape[:-1], -1)


def row_matches(outputs, single):
    close = torch.isclose(outputs, single, rtol=1e-4, atol=1e-5)
    return bool(close[1].all())
