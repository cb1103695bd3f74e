import torch


def score(query, token):
    out = torch.empty(())
    torch.dot(query, token, out=out)
    return out


def scores_for(query, inputs):
    out = torch.empty(inputs.size(0))
    return torch.matmul(inputs, query, out=out)


def score_matrix(inputs):
    n = inputs.size(0)
    out = inputs.new_empty(n, n)
    for i in range(n):
        torch.mv(inputs, inputs[i], out=out[i])
    return out


def attention_weights(score_matrix):
    w = score_matrix.clone()
    w.sub_(w.max(dim=1, keepdim=True).values).exp_()
    w.div_(w.sum(dim=1, keepdim=True))
    return w


def context_vectors(weights, inputs):
    out = inputs.new_zeros(weights.size(0), inputs.size(1))
    for j in range(inputs.size(0)):
        out.addr_(weights[:, j], inputs[j])
    return out
