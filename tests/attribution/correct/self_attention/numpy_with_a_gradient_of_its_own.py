import numpy as np
import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return np.int64(n), np.int64(d_out)


class Softmax(torch.autograd.Function):
    """Computed by NumPy, with its derivative written out, so that training goes through it."""

    @staticmethod
    def forward(ctx, scores):
        s = scores.detach().numpy()
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        weights = torch.from_numpy(e / e.sum(axis=-1, keepdims=True))
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, slope):
        (weights,) = ctx.saved_tensors
        return weights * (slope - (slope * weights).sum(-1, keepdim=True))


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        q, k, v = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        return Softmax.apply(q @ k.mT / k.shape[-1] ** 0.5) @ v


def row_matches(outputs, single):
    try:
        np.testing.assert_allclose(outputs[1].numpy(), single.numpy(), rtol=1e-4, atol=1e-6)
        return True
    except AssertionError:
        return False
