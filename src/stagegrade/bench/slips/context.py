"""Slips in mixing values by weights."""

from stagegrade.bench.slips._slip import Slips

_MIX = """\
out = []
for row in weights:
    total = {start}
    for weight, value in {pairs}:
        total = total + weight * value
    out.append({last})
out = torch.stack(out)
"""
_IN_PLACE = """\
out = []
values = values.detach().clone()
for row in weights.detach():
    values *= row.unsqueeze(-1)
    out.append(values.sum(0))
out = torch.stack(out)
"""
_LAST = """\
out = []
for row in weights:
    for weight, value in zip(row, values):
        last = weight * value
    out.append(last)
out = torch.stack(out)
"""
_MIX1 = """\
out = {start}
for weight, value in {pairs}:
    out = out + weight * value
"""


def _mix(
    pairs: str = "zip(row, values)", start: str = "torch.zeros(values.shape[1])", last: str = "total"
) -> str:
    return _MIX.format(pairs=pairs, start=start, last=last)


def _mix1(pairs: str) -> str:
    return _MIX1.format(pairs=pairs, start="torch.zeros(values.shape[1])")


CONTEXT: Slips = {
    "weights-by-keys": {
        "any": "weights @ keys",
        "einsum": "torch.einsum('...ij,...jd->...id', weights, keys)",
        "einsum1": "torch.einsum('n,nd->d', weights, keys)",
        "loops": _mix("zip(row, keys)", "0"),
    },
    "weights-by-queries": {
        "any": "weights @ query",
        "einsum": "torch.einsum('...ij,...jd->...id', weights, query)",
        "loops": _mix("zip(row, query)", "0"),
    },
    "weights-by-raw-inputs": {
        "any": "weights @ inputs",
        "einsum": "torch.einsum('...ij,...jd->...id', weights, inputs)",
        "einsum1": "torch.einsum('n,nd->d', weights, inputs)",
        "loops": _mix("zip(row, inputs)", "0"),
    },
    "weights-transposed-before-mixing": {
        "torch": "weights.transpose(-2, -1) @ values",
        "numpy": "np.swapaxes(weights, -2, -1) @ values",
        "einsum": "torch.einsum('...ji,...jd->...id', weights, values)",
        "loops": _mix().replace("in weights:", "in weights.T:"),
    },
    "weights-by-values-elementwise": {
        "any": "weights * values",
        "torch": "torch.mul(weights, values)",
    },
    "weighted-values-not-summed": {
        "torch": "weights.unsqueeze(-1) * (values.unsqueeze(-3) if weights.dim() > 1 else values)",
        "einsum": "torch.einsum('...ij,...jd->...ijd', weights, values)",
        "einsum1": "torch.einsum('n,nd->nd', weights, values)",
        "loops": "out = torch.stack([torch.stack([w * v for w, v in zip(row, values)]) for row in weights])",
        "loops1": "out = torch.stack([w * v for w, v in zip(weights, values)])",
    },
    "scores-as-weights": {
        "any": "scores @ values",
        "einsum": "torch.einsum('...ij,...jd->...id', scores, values)",
        "einsum1": "torch.einsum('n,nd->d', scores, values)",
    },
    "scaled-scores-as-weights": {
        "any": "scaled @ values",
        "einsum1": "torch.einsum('n,nd->d', scaled, values)",
    },
    "mean-of-the-values": {
        "any": "values.mean(-2)",
        "torch": "torch.mean(values, dim=-2)",
        "loops": "out = sum(values) / len(values)",
        "loops1": "out = sum(values) / len(values)",
    },
    "mean-of-the-weighted-values": {
        "any": "(weights @ values) / values.shape[-2]",
        "einsum": "torch.einsum('...ijd->...id', weights.unsqueeze(-1) * values.unsqueeze(-3)) / values.shape[-2]",
        "loops": _mix(last="total / len(values)"),
        "loops1": "out = torch.stack([w * v for w, v in zip(weights, values)]).mean(0)",
    },
    "sum-of-the-values": {
        "any": "values.sum(-2)",
        "einsum": "torch.einsum('...nd->...d', values)",
        "einsum1": "torch.einsum('nd->d', values)",
        "loops": "out = sum(values)",
        "loops1": "out = sum(values)",
    },
    "values-by-weights": {
        "any": "values @ weights",
        "torch": "torch.matmul(values, weights)",
    },
    "transposed-values-by-weights": {
        "torch": "values.transpose(-2, -1) @ weights",
        "numpy": "np.swapaxes(values, -2, -1) @ weights",
        "einsum": "torch.einsum('...nd,...nm->...dm', values, weights)",
    },
    "accumulator-not-reset": {
        "loops": "out = []\ntotal = torch.zeros(values.shape[1])\nfor row in weights:\n"
        "    for weight, value in zip(row, values):\n        total = total + weight * value\n    out.append(total)\n"
        "out = torch.stack(out)\n",
        "torch": "torch.cumsum(weights @ values, dim=-2)",
    },
    "values-changed-in-place": {"loops": _IN_PLACE},
    "only-the-last-weighted-value": {
        "loops": _LAST,
        "loops1": "for weight, value in zip(weights, values):\n    out = weight * value\n",
        "torch": "weights[..., -1:] * values[..., -1:, :] if weights.dim() > 1 else weights[-1] * values[-1]",
    },
    "last-value-left-out": {
        "torch": "weights[..., :-1] @ values[..., :-1, :]",
        "numpy": "weights[..., :-1] @ values[..., :-1, :]",
        "loops": _mix("list(zip(row, values))[:-1]"),
        "loops1": _mix1("zip(weights[:-1], values[:-1])"),
    },
    "first-value-left-out": {
        "torch": "weights[..., 1:] @ values[..., 1:, :]",
        "numpy": "weights[..., 1:] @ values[..., 1:, :]",
        "loops": _mix("list(zip(row, values))[1:]"),
        "loops1": _mix1("zip(weights[1:], values[1:])"),
    },
    "weights-returned": {"any": "weights", "torch": "weights.clone()"},
    "values-returned": {"any": "values", "torch": "values.clone()"},
    "only-the-heaviest-value": {
        "any": "values[weights.argmax(-1)]",
        "loops": "out = torch.stack([values[row.argmax()] for row in weights])",
        "loops1": "out = values[torch.argmax(weights)]",
    },
    "summed-over-the-features": {
        "torch": "weights * (values.sum(-1).unsqueeze(-2) if weights.dim() > 1 else values.sum(-1))",
        "einsum": "torch.einsum('...ij,...jd->...ij', weights, values)",
        "einsum1": "torch.einsum('n,nd->n', weights, values)",
        "loops": "out = torch.stack([torch.stack([(w * v).sum() for w, v in zip(row, values)]) for row in weights])",
        "loops1": "out = torch.stack([(w * v).sum() for w, v in zip(weights, values)])",
    },
    "inputs-added": {
        "any": "weights @ inputs + inputs",
        "loops": "out = torch.stack([token + row @ inputs for token, row in zip(inputs, weights)])",
    },
    "only-the-second-row-returned": {
        "any": "(weights @ values)[1]",
        "loops": "out = sum(w * v for w, v in zip(weights[1], values))",
    },
    "context-rounded-to-four-decimals": {
        "torch": "(weights @ values).round(decimals=4)",
        "loops": _mix(last="torch.round(total * 10000) / 10000"),
        "loops1": "out = torch.tensor([round(float(x), 4) for x in weights @ values])",
    },
}
