import torch
import torch.nn.functional as F
from torch import nn


def predict_shape(n, d_in, d_out):
    heads = 1
    return n, heads * d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        x = inputs.view(-1, *inputs.shape[-2:])
        # (batch, one head, n, d_out)
        q, k, v = ((x @ W).unsqueeze(1) for W in (self.W_query, self.W_key, self.W_value))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False)
        return out.squeeze(1).view(*inputs.shape[:-1], -1)


def row_matches(outputs, single):
    return F.mse_loss(outputs[1], single, reduction="sum") < 1e-8
