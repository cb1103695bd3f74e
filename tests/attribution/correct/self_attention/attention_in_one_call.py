import torch
import torch.nn.functional as F
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, inputs):
        return F.scaled_dot_product_attention(self.W_query(inputs), self.W_key(inputs), self.W_value(inputs))


def row_matches(outputs, single):
    return F.l1_loss(outputs[1], single, reduction="sum").item() < 1e-4
