import torch

weight_kind = lambda weight: "parameter" if weight[0] in "Wn" else "attention"
first_failure = lambda snippet: {"A": "scaling step", "B": "query source", "C": "softmax axis"}.get(snippet, "key index")
query_of_second_token = lambda inputs, W_query: inputs[1] @ W_query
second_score = lambda query, keys: query @ keys[1]
scaled_scores = lambda query, keys: query @ keys.T / keys.shape[-1] ** 0.5
all_contexts = lambda inputs, W_query, W_key, W_value: (
    torch.softmax((inputs @ W_query) @ (inputs @ W_key).T / W_key.shape[-1] ** 0.5, dim=-1) @ (inputs @ W_value)
)
