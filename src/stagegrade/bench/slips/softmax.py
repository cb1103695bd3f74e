"""Slips in turning scaled scores into weights."""

from stagegrade.bench.slips._slip import Slips

_BY_ROWS = "out = torch.stack([{row} for row in scaled])"


def _numpy(axis: str) -> str:
    """A stable softmax along an axis, by hand."""
    top = f"np.exp(scaled - scaled.max({axis}, keepdims=True))"
    return f"{top} / {top}.sum({axis}, keepdims=True)"


_OTHERS = """\
out = torch.zeros_like(scaled)
for i in range(len(scaled)):
    others = [j for j in range(len(scaled)) if j != i]
    out[i, others] = torch.softmax(scaled[i, others], dim=0)
"""

SOFTMAX: Slips = {
    "softmax-down-the-columns": {
        "torch": "torch.softmax(scaled, dim=0)",
        "numpy": _numpy("axis=0"),
    },
    "softmax-over-the-queries": {
        "torch": "torch.softmax(scaled, dim=-2)",
        "numpy": _numpy("axis=-2"),
        "loops": "out = torch.stack([torch.softmax(column, dim=0) for column in scaled.T], dim=1)",
    },
    "softmax-along-dim-1": {"torch": "F.softmax(scaled, dim=1)", "numpy": _numpy("axis=1")},
    "softmax-over-all-entries": {
        "torch": "torch.softmax(scaled.reshape(-1), dim=0).reshape(scaled.shape)",
        "numpy": "np.exp(scaled - scaled.max()) / np.exp(scaled - scaled.max()).sum()",
    },
    "exponentials-divided-by-their-total": {
        "torch": "torch.exp(scaled) / torch.exp(scaled).sum()",
        "numpy": "np.exp(scaled) / np.exp(scaled).sum()",
    },
    "exponentials-divided-down-the-columns": {
        "torch": "torch.exp(scaled) / torch.exp(scaled).sum(0)",
        "numpy": "np.exp(scaled) / np.exp(scaled).sum(axis=0)",
    },
    "divided-by-the-sum": {
        "torch": "scaled / scaled.sum(-1, keepdim=True)",
        "numpy": "scaled / scaled.sum(axis=-1, keepdims=True)",
        "loops": _BY_ROWS.format(row="row / row.sum()"),
        "loops1": "total = sum(scaled)\nout = torch.stack([score / total for score in scaled])\n",
    },
    "exponentials-not-divided": {
        "torch": "torch.exp(scaled)",
        "numpy": "np.exp(scaled)",
        "loops": _BY_ROWS.format(row="torch.exp(row)"),
        "loops1": "out = torch.tensor([math.exp(min(score, 700.0)) for score in scaled])",
    },
    "sum-without-keepdim": {
        "torch": "e = torch.exp(scaled)\nout = e / e.sum(dim=-1)\n",
        "numpy": "np.exp(scaled) / np.exp(scaled).sum(-1)",
    },
    "softmax-twice": {
        "torch": "F.softmax(F.softmax(scaled, dim=-1), dim=-1)",
        "loops": _BY_ROWS.format(row="row.softmax(0).softmax(0)"),
        "loops1": "out = scaled.softmax(0)\nout = out.softmax(0)\n",
    },
    "log-softmax": {
        "torch": "F.log_softmax(scaled, dim=-1)",
        "loops": _BY_ROWS.format(row="row - torch.logsumexp(row, 0)"),
    },
    "sigmoid": {
        "torch": "torch.sigmoid(scaled)",
        "numpy": "0.5 * (1 + np.tanh(0.5 * scaled))",
        "loops": _BY_ROWS.format(row="row.sigmoid()"),
    },
    "softmax-of-the-unscaled-scores": {
        "torch": "torch.softmax(scores, dim=-1)",
        "loops": "out = torch.stack([torch.softmax(row, 0) for row in scores])",
        "numpy": _numpy("axis=-1").replace("scaled", "scores"),
    },
    "scaled-inside-softmax": {
        "torch": "torch.softmax(scaled / keys.shape[-1] ** 0.5, dim=-1)",
    },
    "weights-rounded-to-four-decimals": {
        "torch": "torch.softmax(scaled, dim=-1).round(decimals=4)",
        "loops": _BY_ROWS.format(row="torch.round(torch.softmax(row, 0) * 10000) / 10000"),
        "loops1": "out = torch.tensor([round(float(weight), 4) for weight in torch.softmax(scaled, 0)])",
    },
    "weights-rounded-to-two-decimals": {
        "torch": "torch.softmax(scaled, dim=-1).round(decimals=2)",
        "loops": _BY_ROWS.format(row="torch.round(torch.softmax(row, 0) * 100) / 100"),
        "loops1": "out = torch.tensor([round(float(weight), 2) for weight in torch.softmax(scaled, 0)])",
    },
    "all-weight-on-the-largest": {
        "torch": "(scaled == scaled.amax(dim=-1, keepdim=True)).float()",
        "numpy": "(scaled == scaled.max(axis=-1, keepdims=True)).astype('float32')",
        "loops": "out = torch.zeros_like(scaled)\nfor i, row in enumerate(scaled):\n    out[i, row.argmax()] = 1\n",
        "loops1": "out = torch.zeros(len(scaled))\nout[scaled.argmax()] = 1.0\n",
    },
    "index-of-the-largest": {
        "torch": "torch.argmax(scaled, dim=-1)",
        "numpy": "np.argmax(scaled, axis=-1)",
    },
    "exponentials-overflow": {
        "torch": "torch.exp(scaled) / torch.exp(scaled).sum(-1, keepdim=True)",
        "numpy": "np.exp(scaled) / np.exp(scaled).sum(axis=-1, keepdims=True)",
        "loops": _BY_ROWS.format(row="row.exp() / row.exp().sum()"),
        "loops1": "e = torch.exp(scaled)\nout = torch.stack([one / e.sum() for one in e])\n",
    },
    "no-softmax": {"any": "scaled", "torch": "scaled.clone()"},
    "softmax-of-the-negated-scores": {
        "torch": "F.softmin(scaled, dim=-1)",
        "loops": _BY_ROWS.format(row="torch.softmax(-row, 0)"),
        "numpy": _numpy("axis=-1").replace("scaled", "(-scaled)"),
    },
    "unit-length-instead-of-unit-sum": {
        "torch": "scaled / scaled.norm(dim=-1, keepdim=True)",
        "numpy": "scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)",
        "loops": _BY_ROWS.format(row="row / row.pow(2).sum().sqrt()"),
    },
    "later-tokens-masked": {
        "torch": "n = scaled.shape[-1]\nmask = torch.tril(torch.ones(n, n)) == 0\n"
        "out = torch.softmax(scaled.masked_fill(mask, float('-inf')), dim=-1)\n",
        "loops": "out = torch.zeros_like(scaled)\nfor i in range(len(scaled)):\n"
        "    out[i, : i + 1] = torch.softmax(scaled[i, : i + 1], dim=0)\n",
    },
    "own-token-masked": {
        "torch": "torch.softmax(scaled.masked_fill(torch.eye(scaled.shape[-1]) == 1, float('-inf')), dim=-1)",
        "loops": _OTHERS,
    },
}
