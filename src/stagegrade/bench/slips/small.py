"""Slips in the stages that are asked without tensors, in the check of a row, and in what is returned."""

from stagegrade.bench.slips._slip import Slip, Slips

RETURNED: Slips = {"nothing-returned": {"any": "out = None"}}

SHAPE_PREDICTION: Slips = {
    "rows-and-columns-exchanged": {"any": "(d_out, n)"},
    "columns-as-wide-as-the-inputs": {"any": "(n, d_in)"},
    "shape-of-a-weight-matrix": {"any": "(d_in, d_out)"},
    "shape-of-a-linear-weight": {"any": "(d_out, d_in)"},
    "shape-of-the-attention-weights": {"any": "(n, n)"},
    "shape-of-one-context-vector": {"any": "(d_out,)"},
    "a-single-row": {"any": "(1, d_out)"},
    "three-views-side-by-side": {"any": "(n, d_out * 3)"},
    "shape-of-the-worked-example": {"any": "(6, 2)"},
    "a-batch-put-in-front": {"any": "torch.Size([1, n, d_out])"},
    "number-of-entries": {"any": "d_out * n"},
}

SINGLE_TOKEN_CHECK: Slips = {
    "compares-exactly": {
        "torch": "bool((context[1] == candidate).all())",
        "numpy": "np.array_equal(context[1], candidate)",
    },
    "checks-the-first-row": {"torch": "torch.allclose(context[0], candidate, rtol=1e-4, atol=1e-6)"},
    "checks-the-third-row": {"torch": "torch.allclose(context[2], candidate, rtol=1e-4, atol=1e-6)"},
    "checks-a-column": {"torch": "torch.allclose(context[:, 1], candidate)"},
    "one-entry-is-enough": {
        "torch": "bool(torch.isclose(context[1], candidate).any())",
        "loops1": "out = any(abs(a - b) < 1e-5 for a, b in zip(context[1].tolist(), candidate.tolist()))",
    },
    "always-agrees": {"any": "True"},
    "tolerance-too-wide": {"torch": "torch.allclose(context[1], candidate, atol=0.1)"},
    "difference-without-its-absolute-value": {
        "torch": "bool((context[1] - candidate < 1e-4).all())",
        "loops1": "out = all(float(a - b) < 1e-5 for a, b in zip(context[1], candidate))",
    },
    "compares-the-sums": {
        "torch": "bool(abs(context[1].sum() - candidate.sum()) < 1e-4)",
        "loops1": "out = abs(sum(context[1].tolist()) - sum(candidate.tolist())) < 1e-4",
    },
    "compares-the-means-loosely": {
        "torch": "bool((context[1].mean() - candidate.mean()).abs() < 1e-3)",
    },
    "compares-every-row": {"torch": "torch.allclose(context, candidate, rtol=1e-4, atol=1e-6)"},
    "an-answer-for-each-entry": {"torch": "(context[1] - candidate).abs() < 1e-5"},
    "answers-whether-they-differ": {
        "torch": "not torch.allclose(context[1], candidate, rtol=1e-4, atol=1e-6)"
    },
}

_KINDS = "'parameter' if weight in ('W_query', 'W_key', 'W_value', 'nn.Linear.weight'{more}) else 'attention'"

WEIGHT_KINDS: Slips = {
    "all-weights-are-parameters": {"any": "'parameter'"},
    "all-weights-are-attention": {"any": "'attention'"},
    "kinds-exchanged": {"any": "'attention' if weight.startswith('W_') or '.' in weight else 'parameter'"},
    "linear-weight-as-attention": {
        "any": "'parameter' if weight in ('W_query', 'W_key', 'W_value') else 'attention'"
    },
    "value-matrix-as-attention": {
        "any": "'parameter' if weight[:3] in ('W_q', 'W_k', 'nn.') else 'attention'"
    },
    "named-weights-are-parameters": {"any": _KINDS.format(more=", 'attn_weights'")},
    "shares-as-parameters": {"any": _KINDS.format(more=", 'share of each token in a context vector'")},
}


def _named(a: str, b: str, c: str, d: str) -> Slip:
    return {"any": f"{{'A': '{a}', 'B': '{b}', 'C': '{c}', 'D': '{d}'}}[snippet]"}


_Q, _K, _SC, _SO = "query source", "key index", "scaling step", "softmax axis"

FIRST_FAILURES: Slips = {
    "last-checkpoint-named": {"any": f"'{_SO}'"},
    "first-checkpoint-named": {"any": f"'{_Q}'"},
    "one-checkpoint-late": _named(_SO, _K, _SO, _SC),
    "one-checkpoint-early": _named(_K, _Q, _SC, _Q),
    "second-fault-named": _named(_SO, _Q, _SO, _SC),
    "query-and-key-checkpoints-exchanged": _named(_SC, _K, _SO, _Q),
    "scaling-and-softmax-checkpoints-exchanged": _named(_SO, _Q, _SC, _K),
}
