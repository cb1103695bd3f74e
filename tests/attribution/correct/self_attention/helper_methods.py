import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = self._matrix(d_in, d_out)
        self.W_key = self._matrix(d_in, d_out)
        self.W_value = self._matrix(d_in, d_out)

    @staticmethod
    def _matrix(rows, columns):
        return nn.Parameter(torch.rand(rows, columns))

    @property
    def d_k(self):
        return self.W_key.shape[-1]

    def project(self, x):
        return x @ self.W_query, x @ self.W_key, x @ self.W_value

    def score(self, q, k):
        return q @ k.transpose(-2, -1)

    def normalise(self, scores):
        return torch.softmax(scores / self.d_k**0.5, dim=-1)

    def forward(self, inputs):
        q, k, v = self.project(inputs)
        return self.normalise(self.score(q, k)) @ v


def row_matches(outputs, single):
    first, second, *rest = outputs
    return torch.allclose(second, single, rtol=1e-4, atol=1e-6)
