"""Slips in one dot product, and in which key it is taken with. ``token`` is the one vector."""

from stagegrade.bench.slips._slip import Slips

SCORE: Slips = {
    "products-not-summed": {
        "any": "query * token",
        "einsum1": "torch.einsum('d,d->d', query, token)",
        "loops1": "out = torch.stack([a * b for a, b in zip(query, token)])",
    },
    "products-averaged": {
        "any": "(query * token).mean()",
        "loops1": "out = sum(a * b for a, b in zip(query, token)) / len(query)",
        "einsum1": "torch.einsum('d,d->', query, token) / token.shape[0]",
    },
    "outer-product": {
        "torch": "query.unsqueeze(1) * token.unsqueeze(0)",
        "numpy": "np.outer(query, token)",
        "einsum1": "torch.einsum('i,j->ij', query, token)",
        "loops1": "out = torch.stack([a * token for a in query])",
    },
    "lengths-divided-out": {
        "torch": "torch.dot(query, token) / (query.norm() * token.norm())",
        "numpy": "query @ token / (np.linalg.norm(query) * np.linalg.norm(token))",
    },
    "query-with-itself": {
        "any": "query @ query",
        "einsum1": "torch.einsum('d,d->', query, query)",
        "loops1": "out = sum(a * a for a in query)",
    },
    "token-with-itself": {
        "any": "token @ token",
        "torch": "token.pow(2).sum()",
        "loops1": "out = sum(a * a for a in token)",
    },
    "distance-instead-of-match": {
        "any": "((query - token) ** 2).sum() ** 0.5",
        "loops1": "out = math.sqrt(sum(float(a - b) ** 2 for a, b in zip(query, token)))",
    },
    "sums-multiplied": {"any": "query.sum() * token.sum()", "loops1": "out = sum(query) * sum(token)"},
    "entries-added": {
        "any": "(query + token).sum()",
        "loops1": "out = 0\nfor a, b in zip(query, token):\n    out = out + a + b\n",
    },
    "last-entry-left-out": {
        "any": "(query[:-1] * token[:-1]).sum()",
        "loops1": "out = 0\nfor k in range(len(query) - 1):\n    out = out + query[k] * token[k]\n",
    },
    "only-the-last-product": {
        "any": "query[-1] * token[-1]",
        "loops1": "for a, b in zip(query, token):\n    out = a * b\n",
    },
    "score-scaled-too-early": {
        "any": "query @ token / len(query) ** 0.5",
        "loops1": "out = sum(a * b for a, b in zip(query, token)) / math.sqrt(len(token))",
    },
    "score-cut-to-a-whole-number": {
        "torch": "torch.tensor(int(query @ token))",
        "loops1": "out = int(sum(a * b for a, b in zip(query, token)))",
    },
    "tokens-fixed-in-the-code": {"any": "inputs[1] @ inputs[0]"},
}

KEY_INDEX: Slips = {
    "third-key": {
        "any": "query @ keys[2]",
        "einsum1": "torch.einsum('d,d->', query, keys[2])",
        "loops1": "out = sum(a * b for a, b in zip(query, keys[2]))",
    },
    "first-key": {"any": "query @ keys[0]", "loops1": "out = sum(a * b for a, b in zip(query, keys[0]))"},
    "last-key": {"any": "query @ keys[-1]", "loops1": "for key in keys:\n    out = torch.dot(query, key)\n"},
    "column-of-the-keys": {"any": "query @ keys[:, 1]", "torch": "torch.dot(query, keys[:, 1])"},
    "value-instead-of-key": {"any": "query @ values[1]", "torch": "torch.dot(query, values[1])"},
    "raw-input-instead-of-key": {"any": "query @ inputs[1]", "torch": "torch.dot(query, inputs[1])"},
    "scores-for-all-keys": {
        "any": "keys @ query",
        "einsum1": "torch.einsum('d,nd->n', query, keys)",
        "loops1": "out = torch.stack([torch.dot(query, key) for key in keys])",
    },
    "slice-instead-of-a-key": {
        "any": "query @ keys[1:2].T",
        "einsum1": "torch.einsum('d,nd->n', query, keys[1:2])",
    },
    "all-keys-added-up": {
        "any": "(keys @ query).sum()",
        "einsum1": "torch.einsum('d,nd->', query, keys)",
        "loops1": "out = sum(torch.dot(query, key) for key in keys)",
    },
}
