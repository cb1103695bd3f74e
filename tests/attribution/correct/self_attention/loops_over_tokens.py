import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    rows = 0
    for _ in range(n):
        rows += 1
    return rows, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        if inputs.dim() == 3:
            return torch.stack([self.forward(sequence) for sequence in inputs])
        contexts = []
        for x in inputs:
            query = x @ self.W_query
            scores = []
            for y in inputs:
                key = y @ self.W_key
                scores.append(torch.dot(query, key) / len(key) ** 0.5)
            weights = torch.softmax(torch.stack(scores), dim=0)
            context = torch.zeros(self.W_value.shape[1])
            for weight, y in zip(weights, inputs):
                context = context + weight * (y @ self.W_value)
            contexts.append(context)
        return torch.stack(contexts)


def row_matches(outputs, single):
    for a, b in zip(outputs[1], single):
        if abs(a - b) > 1e-5:
            return False
    return True
