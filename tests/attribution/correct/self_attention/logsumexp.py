import torch
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_in, d_out)))
        self.W_key = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_in, d_out)))
        self.W_value = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_in, d_out)))

    def forward(self, inputs):
        s = (inputs @ self.W_query).matmul((inputs @ self.W_key).mT).div(self.W_key.size(1) ** 0.5)
        return torch.exp(s - torch.logsumexp(s, -1, keepdim=True)).matmul(inputs @ self.W_value)


def row_matches(outputs, single):
    worst = torch.max(torch.abs(torch.sub(outputs[1], single)))
    return worst.item() <= 1e-5
