import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    """Tokens first, then the batch, as recurrent layers like it."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        x = inputs[None] if inputs.dim() == 2 else inputs
        x = x.permute(1, 0, 2)  # (n, b, d_in)
        q, k, v = (x @ W for W in (self.W_query, self.W_key, self.W_value))
        scores = (q[:, None] * k[None]).sum(-1)  # (queries, keys, b)
        weights = torch.softmax(scores / k.shape[-1] ** 0.5, dim=1)
        context = (weights[..., None] * v[None]).sum(1)  # (n, b, d_out)
        context = context.permute(1, 0, 2).contiguous()
        return context[0] if inputs.dim() == 2 else context


def row_matches(outputs, single):
    return torch.allclose(torch.gather(outputs, 0, torch.ones(1, single.numel(), dtype=torch.long))[0], single, atol=1e-5)
