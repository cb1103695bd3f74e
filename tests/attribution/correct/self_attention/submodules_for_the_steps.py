import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class Scale(nn.Module):
    def forward(self, scores, d_k):
        return scores / d_k**0.5


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.scale = Scale()
        self.softmax = nn.Softmax(dim=-1)
        self.identity = nn.Identity()

    def forward(self, inputs):
        inputs = self.identity(inputs)
        scores = self.W_query(inputs) @ self.W_key(inputs).transpose(-2, -1)
        return self.softmax(self.scale(scores, self.W_key.out_features)) @ self.W_value(inputs)


def row_matches(outputs, single):
    return nn.functional.pairwise_distance(outputs[1], single, p=1, eps=0).item() < 1e-4
