import torch
from torch import nn


def softmax(x, dim):
    shifted = x - torch.max(x, dim=dim, keepdim=True).values
    powers = torch.exp(shifted)
    return powers / torch.sum(powers, dim=dim, keepdim=True)


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super(SelfAttention_v1, self).__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        keys = torch.matmul(inputs, self.W_key)
        queries = torch.matmul(inputs, self.W_query)
        values = torch.matmul(inputs, self.W_value)
        attn_scores = torch.matmul(queries, torch.transpose(keys, -2, -1))
        attn_weights = softmax(attn_scores / torch.sqrt(torch.tensor(keys.shape[-1])), dim=-1)
        context_vec = torch.matmul(attn_weights, values)
        return context_vec


def row_matches(outputs, single):
    row = outputs[1]
    return row.shape == single.shape and torch.allclose(row, single, rtol=1e-4)
