# Tensors that are of another kind, or share one entry, or are views of views of nothing.
def scores_for(query, inputs): return torch.zeros(1).expand(len(inputs))
def score_matrix(inputs): return torch.zeros(len(inputs), len(inputs), dtype=torch.complex64).conj()
def attention_weights(score_matrix): return torch.zeros(0).as_strided(score_matrix.shape, (0,) * score_matrix.dim())
