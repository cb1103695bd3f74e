import torch
from torch import Tensor, nn


def predict_shape(n: int, d_in: int, d_out: int) -> tuple[int, int]:
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.empty(d_in, d_out).uniform_())
        self.W_key = nn.Parameter(torch.empty(d_in, d_out).uniform_())
        self.W_value = nn.Parameter(torch.empty(d_in, d_out).uniform_())
        self.scale: float = d_out**-0.5

    def forward(self, inputs: Tensor) -> Tensor:
        queries: Tensor = inputs @ (self.W_query * self.scale)
        scores: Tensor = queries @ (inputs @ self.W_key).transpose(-2, -1)
        return scores.softmax(dim=-1) @ (inputs @ self.W_value)


def row_matches(outputs: Tensor, single: Tensor) -> bool:
    return torch.linalg.vector_norm(outputs[1] - single).item() < 1e-4
