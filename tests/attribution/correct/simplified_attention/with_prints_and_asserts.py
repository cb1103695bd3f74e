import torch


def score(query, token):
    assert query.shape == token.shape, "two vectors of one length"
    products = query * token
    print("products", products)
    return products.sum()


def scores_for(query, inputs):
    assert inputs.ndim == 2
    result = torch.empty(inputs.shape[0], dtype=inputs.dtype)
    for i in range(inputs.shape[0]):
        result[i] = torch.dot(query, inputs[i])
        print(f"{i}: {result[i]:.4f}")
    return result


def score_matrix(inputs):
    result = torch.matmul(inputs, inputs.T)
    assert torch.allclose(result, result.T, atol=1e-3)
    return result


def attention_weights(score_matrix):
    weights = torch.softmax(score_matrix, dim=-1)
    sums = weights.sum(dim=-1)
    assert torch.allclose(sums, torch.ones_like(sums), atol=1e-4)
    print(sums)
    return weights


def context_vectors(weights, inputs):
    context = weights @ inputs
    print(context.shape)
    return context
