from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Steps:
    x: Tensor

    @property
    def scores(self):
        return self.x @ self.x.T

    def weights(self, scores):
        return torch.softmax(scores, dim=-1)


def score(query, token):
    return Steps(torch.stack([query, token])).scores[0, 1]


def scores_for(query, inputs):
    return Steps(torch.vstack([query, inputs])).scores[0, 1:]


def score_matrix(inputs):
    return Steps(inputs).scores


def attention_weights(score_matrix):
    return Steps(torch.empty(0)).weights(score_matrix)


def context_vectors(weights, inputs):
    return weights @ Steps(inputs).x
