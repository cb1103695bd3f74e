def score(query, token):
    return query.mul(token).sum()


def scores_for(query, inputs):
    return inputs.mv(query)


def score_matrix(inputs):
    return inputs.mm(inputs.t())


def attention_weights(score_matrix):
    return score_matrix.softmax(-1)


def context_vectors(weights, inputs):
    return weights.mm(inputs)
