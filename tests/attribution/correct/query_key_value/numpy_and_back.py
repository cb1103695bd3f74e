import numpy as np
import torch


def project(inputs, W_query, W_key, W_value):
    x, wq, wk, wv = (t.numpy() for t in (inputs, W_query, W_key, W_value))
    return torch.from_numpy(x[1] @ wq), torch.from_numpy(x @ wk), torch.from_numpy(x @ wv)


def second_score(query, keys):
    return torch.tensor(query.numpy() @ keys.numpy()[1])


def score_all(query, keys):
    return torch.from_numpy(keys.numpy() @ query.numpy())


def scale(scores, keys):
    return torch.from_numpy(scores.numpy() / np.sqrt(np.float32(keys.shape[1])))


def attention_weights(scaled):
    e = np.exp(scaled.numpy() - scaled.numpy().max())
    return torch.from_numpy(e / e.sum())


def context_vector(weights, values):
    return torch.from_numpy(weights.numpy() @ values.numpy())
