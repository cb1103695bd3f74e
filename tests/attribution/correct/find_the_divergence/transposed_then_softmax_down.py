import torch


def weight_kind(weight: str) -> str:
    return "parameter" if weight.casefold().startswith(("w_", "nn.")) else "attention"


def first_failure(snippet: str) -> str:
    return "key index" if snippet > "C" else ("softmax axis" if snippet > "B" else ("query source" if snippet > "A" else "scaling step"))


def query_of_second_token(inputs, W_query):
    return torch.addmv(torch.zeros(W_query.shape[1]), W_query.T, inputs[1], beta=0)


def second_score(query, keys):
    return torch.addmv(torch.zeros(len(keys)), keys, query, beta=0)[1]


def scaled_scores(query, keys):
    return torch.addmv(torch.zeros(len(keys)), keys, query, beta=0, alpha=1 / keys.shape[1] ** 0.5)


def all_contexts(inputs, W_query, W_key, W_value):
    keys = torch.addmm(torch.zeros(1), inputs, W_key, beta=0)
    values = torch.addmm(torch.zeros(1), inputs, W_value, beta=0)
    # Keys by queries: there the weights of a query are a column.
    turned = torch.addmm(torch.zeros(1), keys, (inputs @ W_query).T, beta=0, alpha=keys.shape[1] ** -0.5)
    return torch.softmax(turned, dim=0).T @ values
