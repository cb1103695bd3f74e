import torch
from torch import nn


class Project(nn.Module):
    def forward(self, inputs, W_query, W_key, W_value):
        return inputs[1] @ W_query, inputs @ W_key, inputs @ W_value


class Score:
    def __init__(self, which=slice(None)):
        self.which = which

    def __call__(self, query, keys):
        return keys[self.which] @ query


class Scale(nn.Module):
    def forward(self, scores, keys):
        return scores / keys.shape[-1] ** 0.5


project = Project()
second_score = Score(1)
score_all = Score()
scale = Scale()
attention_weights = nn.Softmax(dim=-1)


class Mix:
    @staticmethod
    def of(weights, values):
        return weights @ values


context_vector = Mix.of
