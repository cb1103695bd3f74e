import torch

score = lambda query, token: torch.dot(query, token)
scores_for = lambda query, inputs: torch.mv(inputs, query)
score_matrix = lambda inputs: torch.mm(inputs, torch.t(inputs))
attention_weights = lambda score_matrix: torch.softmax(score_matrix, 1)
context_vectors = lambda weights, inputs: torch.mm(weights, inputs)
