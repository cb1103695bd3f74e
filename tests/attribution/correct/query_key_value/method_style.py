def project(inputs, W_query, W_key, W_value):
    return inputs.select(0, 1).matmul(W_query), inputs.mm(W_key), inputs.mm(W_value)


def second_score(query, keys):
    return query.dot(keys.select(0, 1))


def score_all(query, keys):
    return keys.mv(query)


def scale(scores, keys):
    return scores.mul(keys.new_tensor(keys.size(-1)).rsqrt())


def attention_weights(scaled):
    return scaled.softmax(dim=-1)


def context_vector(weights, values):
    return values.t().mv(weights)
