import numpy as np
import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return np.zeros((n, d_out)).shape


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        rng = np.random.default_rng(123)
        self.W_query = nn.Parameter(torch.from_numpy(rng.random((d_in, d_out), dtype=np.float32)))
        self.W_key = nn.Parameter(torch.from_numpy(rng.random((d_in, d_out), dtype=np.float32)))
        self.W_value = nn.Parameter(torch.from_numpy(rng.random((d_in, d_out), dtype=np.float32)))

    def forward(self, inputs):
        d_k = np.sqrt(self.W_key.shape[1])
        scaled = (inputs @ self.W_query) @ (inputs @ self.W_key).transpose(-2, -1) / d_k
        return torch.softmax(scaled, dim=-1) @ (inputs @ self.W_value)


def row_matches(outputs, single):
    return np.allclose(outputs.numpy()[1], single.numpy(), rtol=1e-4, atol=1e-6)
