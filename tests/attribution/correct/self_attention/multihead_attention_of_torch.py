import torch
import torch.nn.functional as F
from torch import nn


def predict_shape(n, d_in, d_out):
    return n, d_out


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, inputs):
        x = inputs if inputs.dim() == 3 else inputs[None]
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        d = q.shape[-1]
        # Time comes first there; the further projections are the unit matrix.
        unit = torch.eye(d)
        out, _ = F.multi_head_attention_forward(
            *(t.transpose(0, 1) for t in (q, k, v)),
            embed_dim_to_check=d, num_heads=1, in_proj_weight=unit.repeat(3, 1), in_proj_bias=None,
            bias_k=None, bias_v=None, add_zero_attn=False, dropout_p=0.0, out_proj_weight=unit, out_proj_bias=None,
            need_weights=False,
        )
        out = out.transpose(0, 1)
        return out if inputs.dim() == 3 else out[0]


def row_matches(outputs, single):
    return torch.allclose(outputs[1].double(), single.double(), rtol=0, atol=1e-4)
