"""Slips in dividing the scores by the root of the keys' dimension."""

from stagegrade.bench.slips._slip import Slips

SCALING: Slips = {
    "not-scaled": {"torch": "scores.clone()", "numpy": "np.array(scores)", "any": "scores"},
    "divides-by-d_k": {
        "any": "scores / keys.shape[-1]",
        "loops": "out = torch.stack([row / keys.shape[1] for row in scores])",
        "loops1": "out = torch.stack([score / keys.shape[1] for score in scores])",
    },
    "scaled-twice": {
        "any": "scores / keys.shape[-1] ** 0.5 / keys.shape[-1] ** 0.5",
        "loops": "half = torch.stack([row / math.sqrt(keys.shape[1]) for row in scores])\n"
        "out = half / math.sqrt(keys.shape[1])\n",
    },
    "times-sqrt-d_k": {
        "any": "scores * keys.shape[-1] ** 0.5",
        "torch": "scores * torch.sqrt(torch.tensor(float(keys.shape[-1])))",
        "numpy": "scores * np.sqrt(keys.shape[-1])",
    },
    "divides-by-sqrt-d_in": {
        "any": "scores / inputs.shape[-1] ** 0.5",
        "torch": "scores / math.sqrt(inputs.size(-1))",
    },
    "divides-by-sqrt-d_v": {"any": "scores / W_value.shape[-1] ** 0.5"},
    "divides-by-sqrt-n": {
        "any": "scores / scores.shape[-1] ** 0.5",
        "torch": "scores / math.sqrt(keys.shape[-2])",
        "loops": "out = torch.stack([row / math.sqrt(len(row)) for row in scores])",
    },
    "divides-by-n": {"any": "scores / scores.shape[-1]", "torch": "scores / keys.size(-2)"},
    "power-before-the-half": {
        "any": "scores / (keys.shape[-1] ** 1 / 2)",
        "torch": "d_k = keys.shape[-1]\nroot = d_k ** 1 / 2\nout = scores / root\n",
    },
    "power-before-the-half-in-the-quotient": {"any": "scores / keys.shape[-1] ** 1 / 2"},
    "divides-by-d_k-squared": {
        "any": "scores / keys.shape[-1] ** 2",
        "torch": "scores / torch.tensor(keys.shape[-1]).pow(2)",
    },
    "floor-division": {
        "any": "scores // keys.shape[-1] ** 0.5",
        "loops": "out = torch.stack([row // keys.shape[1] ** 0.5 for row in scores])",
    },
    "root-rounded-down": {
        "any": "scores / int(keys.shape[-1] ** 0.5)",
        "torch": "scores / math.floor(math.sqrt(keys.shape[-1]))",
    },
    "divides-by-literal-sqrt-2": {
        "any": "scores / 2 ** 0.5",
        "torch": "scores / math.sqrt(2)",
        "numpy": "scores / np.sqrt(2)",
    },
    "divides-by-literal-2": {"any": "scores / 2", "torch": "0.5 * scores"},
    "divides-by-literal-8": {"any": "scores / 8", "torch": "scores / 64 ** 0.5"},
    "sqrt-of-the-number-of-axes": {
        "any": "scores / len(keys.shape) ** 0.5",
        "numpy": "scores / keys.ndim ** 0.5",
    },
    "sqrt-of-the-first-axis": {
        "any": "scores / len(keys) ** 0.5",
        "torch": "scores / math.sqrt(keys.size(0))",
    },
    "sqrt-of-the-second-axis": {
        "any": "scores / keys.shape[1] ** 0.5",
        "torch": "scores / math.sqrt(keys.size(1))",
    },
    "root-of-the-whole-quotient": {
        "torch": "torch.sqrt(scores / keys.shape[-1])",
        "numpy": "np.sqrt(scores / keys.shape[-1])",
    },
    "softmax-before-scaling": {
        "torch": "torch.softmax(scores, dim=-1) / keys.shape[-1] ** 0.5",
        "numpy": "np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum() / np.sqrt(keys.shape[-1])",
    },
    # The scores go on as they are; the division comes after softmax (see ``later`` in the catalogue).
    "scaled-after-softmax": {"any": "scores"},
    "root-of-d_k-subtracted": {
        "any": "scores - keys.shape[-1] ** 0.5",
        "loops1": "out = torch.stack([score - math.sqrt(keys.shape[1]) for score in scores])",
    },
}
