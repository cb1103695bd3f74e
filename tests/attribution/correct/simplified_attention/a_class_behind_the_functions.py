import torch


class Attention:
    """Self-attention over raw inputs, a method a step."""

    def similarity(self, a, b):
        return a @ b.transpose(-1, -2) if b.dim() > 1 else a @ b

    def normalise(self, scores):
        top = torch.max(scores, dim=-1, keepdim=True).values
        powers = torch.exp(scores - top)
        return powers / powers.sum(-1, keepdim=True)

    def mix(self, weights, x):
        return weights @ x


attention = Attention()
score = attention.similarity
scores_for = attention.similarity
attention_weights = attention.normalise
context_vectors = attention.mix


def score_matrix(inputs):
    return attention.similarity(inputs, inputs)
