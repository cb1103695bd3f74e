import torch

ATTENTION = ["softmax(scores)", "attn_weights", "share of each token in a context vector"]


def weight_kind(weight):
    return "attention" if weight in ATTENTION else "parameter"


def first_failure(snippet):
    answers = """
        A scaling step
        B query source
        C softmax axis
        D key index
    """
    for line in answers.strip().splitlines():
        name, _, checkpoint = line.strip().partition(" ")
        if name == snippet:
            return checkpoint


def query_of_second_token(inputs, W_query):
    return torch.matmul(inputs.double()[1], W_query.double())


def second_score(query, keys):
    return torch.matmul(query.double(), keys.double()[1])


def scaled_scores(query, keys):
    scores = torch.matmul(keys.double(), query.double())
    return scores / torch.tensor(keys.shape[1], dtype=torch.float64).sqrt()


def all_contexts(inputs, W_query, W_key, W_value):
    inputs, W_query, W_key, W_value = inputs.double(), W_query.double(), W_key.double(), W_value.double()
    keys = inputs @ W_key
    scores = (inputs @ W_query) @ keys.transpose(0, 1)
    return (scores / keys.size(1) ** 0.5).softmax(dim=1) @ (inputs @ W_value)
