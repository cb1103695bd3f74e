import torch


class Attention:
    def __init__(self, W_query, W_key, W_value):
        self.W_query, self.W_key, self.W_value = W_query, W_key, W_value

    @property
    def d_k(self):
        return self.W_key.shape[-1]

    def scaled(self, queries, keys):
        return queries @ keys.mT / self.d_k**0.5

    def __call__(self, x):
        weights = self.scaled(x @ self.W_query, x @ self.W_key).softmax(dim=-1)
        return weights @ (x @ self.W_value)


class Weight(str):
    @property
    def kind(self):
        return "parameter" if self.startswith(("W_", "nn.")) else "attention"


def weight_kind(weight):
    return Weight(weight).kind


def first_failure(snippet):
    class Found:
        A = "scaling step"
        B = "query source"
        C = "softmax axis"
        D = "key index"

    return getattr(Found, snippet)


def query_of_second_token(inputs, W_query):
    return Attention(W_query, None, None).W_query.T @ inputs[1]


def second_score(query, keys):
    return scaled_scores(query, keys)[1] * keys.shape[-1] ** 0.5


def scaled_scores(query, keys):
    return Attention(None, keys, None).scaled(query[None], keys)[0]


def all_contexts(inputs, W_query, W_key, W_value):
    return Attention(W_query, W_key, W_value)(inputs)
