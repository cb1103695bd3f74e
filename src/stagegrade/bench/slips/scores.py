"""Slips in scoring queries against keys."""

from stagegrade.bench.slips._slip import Slips

_LOOP = """\
n = len(keys)
out = torch.{start}(n, n{dtype})
for i in range({rows}):
    for j in range({columns}):
        out[i, j] = {score}
"""
_LOOP1 = """\
n = len(keys)
out = torch.{start}(n{dtype})
for j in range({columns}):
    out[j] = {score}
"""


_DIAGONAL = """\
n = len(keys)
out = torch.zeros(n, n)
for i in range(n):
    out[i, i] = torch.dot(query[i], keys[i])
"""


def _loop(score: str, rows: str = "n", columns: str = "n", start: str = "zeros", dtype: str = "") -> str:
    return _LOOP.format(score=score, rows=rows, columns=columns, start=start, dtype=dtype)


def _loop1(score: str, columns: str = "n", dtype: str = "") -> str:
    return _LOOP1.format(score=score, columns=columns, start="zeros", dtype=dtype)


SCORES: Slips = {
    "keys-by-queries": {
        "torch": "keys @ query.transpose(-2, -1)",
        "numpy": "keys @ np.swapaxes(query, -2, -1)",
        "einsum": "torch.einsum('...id,...jd->...ji', query, keys)",
        "loops": _loop("torch.dot(query[j], keys[i])"),
    },
    "no-transpose": {
        "any": "query @ keys",
        "einsum": "torch.einsum('...ij,...jk->...ik', query, keys)",
        "einsum1": "torch.einsum('n,nd->d', query, keys)",
    },
    "queries-transposed-instead-of-keys": {
        "torch": "query.transpose(-2, -1) @ keys",
        "numpy": "np.swapaxes(query, -2, -1) @ keys",
        "einsum": "torch.einsum('...ni,...nj->...ij', query, keys)",
    },
    "keys-elementwise": {
        "any": "query * keys",
        "torch": "torch.mul(query, keys)",
        "einsum": "torch.einsum('...nd,...nd->...nd', query, keys)",
        "einsum1": "torch.einsum('d,nd->nd', query, keys)",
        "loops": "out = torch.stack([q * k for q, k in zip(query, keys)])",
        "loops1": "out = torch.stack([query * key for key in keys])",
    },
    "raw-inputs-as-keys": {
        "torch": "query @ inputs.transpose(-2, -1)",
        "numpy": "query @ np.swapaxes(inputs, -2, -1)",
        "einsum": "torch.einsum('...id,...jd->...ij', query, inputs)",
        "einsum1": "torch.einsum('d,nd->n', query, inputs)",
        "loops": _loop("torch.dot(query[i], inputs[j])"),
        "loops1": "out = torch.stack([torch.dot(query, token) for token in inputs])",
    },
    "raw-inputs-as-queries": {
        "torch": "ROWS @ keys.transpose(-2, -1)",
        "numpy": "ROWS @ np.swapaxes(keys, -2, -1)",
        "einsum": "torch.einsum('...id,...jd->...ij', inputs, keys)",
        "einsum1": "torch.einsum('d,nd->n', inputs[1], keys)",
        "loops": _loop("torch.dot(inputs[i], keys[j])"),
        "loops1": _loop1("torch.dot(inputs[1], keys[j])"),
    },
    "raw-inputs-on-both-sides": {
        "torch": "ROWS @ inputs.transpose(-2, -1)",
        "numpy": "ROWS @ np.swapaxes(inputs, -2, -1)",
        "einsum": "torch.einsum('...id,...jd->...ij', inputs, inputs)",
        "einsum1": "torch.einsum('d,nd->n', inputs[1], inputs)",
        "loops": _loop("(inputs[i] * inputs[j]).sum()"),
        "loops1": "out = torch.stack([torch.dot(inputs[1], token) for token in inputs])",
    },
    "queries-by-queries": {
        "torch": "query @ (query.transpose(-2, -1) if query.dim() > 1 else query)",
        "numpy": "query @ (np.swapaxes(query, -2, -1) if query.ndim > 1 else query)",
        "einsum": "torch.einsum('...id,...jd->...ij', query, query)",
        "loops": _loop("torch.dot(query[i], query[j])"),
    },
    "keys-by-keys": {
        "torch": "torch.matmul(keys, keys.transpose(-2, -1))",
        "numpy": "np.matmul(keys, np.swapaxes(keys, -2, -1))",
        "einsum": "torch.einsum('...id,...jd->...ij', keys, keys)",
        "einsum1": "torch.einsum('id,jd->ij', keys, keys)",
        "loops": _loop("torch.dot(keys[i], keys[j])"),
        "loops1": "out = torch.stack([keys @ key for key in keys])",
    },
    "queries-by-values": {
        "torch": "query @ values.transpose(-2, -1)",
        "numpy": "query @ np.swapaxes(values, -2, -1)",
        "einsum": "torch.einsum('...id,...jd->...ij', query, values)",
        "einsum1": "torch.einsum('d,nd->n', query, values)",
        "loops": _loop("torch.dot(query[i], values[j])"),
        "loops1": "out = torch.stack([torch.dot(query, value) for value in values])",
    },
    "reshaped-instead-of-transposed": {
        "torch": "query @ keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])",
        "numpy": "query @ keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])",
        "einsum": "torch.einsum('...id,...dj->...ij', query, keys.view(*keys.shape[:-2], keys.shape[-1], -1))",
        "einsum1": "torch.einsum('d,dn->n', query, keys.view(keys.shape[1], -1))",
    },
    "dot-T-on-a-batch": {
        "torch": "query @ keys.permute(*reversed(range(keys.dim())))",
        "numpy": "query @ keys.T",
    },
    "integer-buffer": {
        "torch": "(query @ keys.transpose(-2, -1)).long()",
        "numpy": "(query @ np.swapaxes(keys, -2, -1)).astype(int)",
        "loops": _loop("torch.dot(query[i], keys[j])", dtype=", dtype=torch.long"),
        "loops1": _loop1("torch.dot(query, keys[j])", dtype=", dtype=torch.int64"),
    },
    "loop-stops-before-the-last-key": {
        "loops": _loop("torch.dot(query[i], keys[j])", columns="n - 1"),
        "loops1": _loop1("(query * keys[j]).sum()", columns="n - 1"),
    },
    "loop-stops-before-the-last-query": {
        "loops": _loop("torch.dot(query[i], keys[j])", rows="n - 1"),
    },
    "both-loops-stop-early": {
        "loops": _loop("torch.dot(query[i], keys[j])", rows="n - 1", columns="n - 1"),
    },
    "loop-starts-after-the-first-key": {
        "loops": _loop("torch.dot(query[i], keys[j])", columns="1, n"),
        "loops1": _loop1("torch.dot(query, keys[j])", columns="1, n"),
    },
    "only-the-diagonal": {
        "loops": _DIAGONAL,
        "torch": "torch.diag_embed(torch.sum(query * keys, dim=-1))",
        "einsum": "torch.diag_embed(torch.einsum('...nd,...nd->...n', query, keys))",
    },
    "one-score-a-token": {
        "any": "(query * keys).sum(-1)",
        "einsum": "torch.einsum('...nd,...nd->...n', query, keys)",
        "loops": "out = torch.stack([torch.dot(q, k) for q, k in zip(query, keys)])",
    },
    "cosine-similarity": {
        "torch": "(query / query.norm(dim=-1, keepdim=True)) @ "
        "(keys / keys.norm(dim=-1, keepdim=True)).transpose(-2, -1)",
        "numpy": "(query / np.linalg.norm(query, axis=-1, keepdims=True)) @ "
        "np.swapaxes(keys / np.linalg.norm(keys, axis=-1, keepdims=True), -2, -1)",
        "loops": _loop("F.cosine_similarity(query[i], keys[j], dim=0)"),
        "loops1": _loop1("F.cosine_similarity(query, keys[j], dim=0)"),
    },
    "second-query-for-every-row": {
        "torch": "(query[..., 1:2, :] @ keys.transpose(-2, -1)).repeat_interleave(keys.shape[-2], dim=-2)",
        "einsum": "torch.einsum('...id,...jd->...ij', query[..., [1] * query.shape[-2], :], keys)",
        "numpy": "query[..., [1] * query.shape[-2], :] @ np.swapaxes(keys, -2, -1)",
        "loops": _loop("torch.dot(query[1], keys[j])"),
    },
    "one-row-of-scores-only": {
        "torch": "query[1] @ keys.T",
        "loops": "out = torch.stack([torch.dot(query[1], key) for key in keys])",
    },
    "mean-of-the-products": {
        "torch": "query @ keys.transpose(-2, -1) / keys.size(-1)",
        "loops": _loop("(query[i] * keys[j]).mean()"),
        "loops1": _loop1("(query * keys[j]).mean()"),
        "einsum": "torch.einsum('...id,...jd->...ij', query, keys) / query.shape[-1]",
    },
    "summed-over-the-tokens": {
        "any": "(query * keys).sum(-2)",
        "einsum": "torch.einsum('...nd,...nd->...d', query, keys)",
        "einsum1": "torch.einsum('d,nd->d', query, keys)",
        "loops1": "out = sum(query * key for key in keys)",
    },
    "scores-above-the-diagonal-only": {
        "loops": "n = len(keys)\nout = torch.zeros(n, n)\nfor i in range(n):\n    for j in range(i, n):\n"
        "        out[i, j] = torch.dot(query[i], keys[j])\n",
        "numpy": "np.triu(query @ np.swapaxes(keys, -2, -1))",
    },
    "half-of-the-scores-mirrored": {
        "loops": "n = len(keys)\nout = torch.zeros(n, n)\nfor i in range(n):\n    for j in range(i, n):\n"
        "        out[i, j] = out[j, i] = torch.dot(query[i], keys[j])\n",
    },
    "query-fixed-to-the-second-token": {
        "any": "keys @ keys[1]",
        "einsum1": "torch.einsum('nd,d->n', keys, keys[1])",
        "loops1": _loop1("torch.dot(keys[1], keys[j])"),
    },
    "scores-scaled-too-early": {
        "any": "query @ keys.T / keys.shape[-1] ** 0.5",
        "einsum1": "torch.einsum('d,nd->n', query, keys) / math.sqrt(len(query))",
        "loops1": _loop1("torch.dot(query, keys[j]) / math.sqrt(keys.shape[1])"),
    },
    "weights-instead-of-scores": {
        "torch": "torch.softmax(query @ keys.T, dim=-1)",
        "loops1": "row = torch.stack([torch.dot(query, key) for key in keys])\nout = (row - row.logsumexp(0)).exp()\n",
        "numpy": "np.exp(query @ keys.T - (query @ keys.T).max(-1, keepdims=True)) / "
        "np.exp(query @ keys.T - (query @ keys.T).max(-1, keepdims=True)).sum(-1, keepdims=True)",
    },
    "only-the-last-score-kept": {
        "loops1": "for key in keys:\n    out = torch.dot(query, key)\n",
        "torch": "(query @ keys.T)[-1]",
    },
    "scores-as-one-row": {
        "torch": "query.unsqueeze(0) @ keys.T",
        "numpy": "query[None] @ keys.T",
        "einsum1": "torch.einsum('id,jd->ij', query.reshape(1, -1), keys)",
    },
}
