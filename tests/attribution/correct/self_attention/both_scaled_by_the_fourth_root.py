import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return list((n, d_out))


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Parameter(torch.rand(d_in, d_out)) for _ in range(3))

    def forward(self, inputs):
        root = self.W_key.shape[-1] ** 0.25
        q, k = inputs @ self.W_query / root, inputs @ self.W_key / root
        return (q @ k.mT).softmax(-1) @ (inputs @ self.W_value)


def row_matches(outputs, single):
    return all(abs(a - b) < 1e-5 for a, b in zip(outputs[1].tolist(), single.tolist()))
