"""Writes student code: right steps in one style throughout, and slips put into them."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from stagegrade.bench.slips import CONTEXT, PROJECTION, QUERY_SOURCE, RETURNED, SCALING, SCORES, SOFTMAX
from stagegrade.bench.slips._slip import Manner, Slip, Slips, slip_of
from stagegrade.bench.slips.parameters import READ, RIGHT, Held

Chosen: TypeAlias = Mapping[str, str]
"""The name of the mistake for each step that is wrong."""

IMPORTS = """\
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
"""

STEPS: tuple[tuple[str, str, Slips], ...] = (
    ("scores", "scores", SCORES),
    ("scaling", "scaled", SCALING),
    ("softmax", "weights", SOFTMAX),
    ("context", "context", {**CONTEXT, **RETURNED}),
)

RIGHT_STEPS: Mapping[str, Slip] = {
    "scores": {
        "torch": "query @ keys.transpose(-2, -1)",
        "numpy": "query @ np.swapaxes(keys, -2, -1)",
        "einsum": "torch.einsum('...id,...jd->...ij', query, keys)",
        "einsum1": "torch.einsum('d,nd->n', query, keys)",
        "loops": "out = torch.stack([torch.stack([torch.dot(q, k) for k in keys]) for q in query])",
        "loops1": "out = torch.stack([torch.dot(query, key) for key in keys])",
    },
    "scaling": {
        "any": "scores / keys.shape[-1] ** 0.5",
        "loops": "out = torch.stack([row / math.sqrt(keys.shape[1]) for row in scores])",
        "loops1": "out = torch.stack([score / math.sqrt(keys.shape[1]) for score in scores])",
    },
    "softmax": {
        "torch": "torch.softmax(scaled, dim=-1)",
        "numpy": "np.exp(scaled - scaled.max(axis=-1, keepdims=True)) / "
        "np.exp(scaled - scaled.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)",
        "loops": "out = []\nfor row in scaled:\n    e = torch.exp(row - row.max())\n    out.append(e / e.sum())\n"
        "out = torch.stack(out)\n",
        "loops1": "e = torch.exp(scaled - scaled.max())\nout = torch.stack([one / e.sum() for one in e])\n",
    },
    "context": {
        "any": "weights @ values",
        "einsum": "torch.einsum('...ij,...jd->...id', weights, values)",
        "einsum1": "torch.einsum('n,nd->d', weights, values)",
        "loops": "out = torch.stack([sum(w * v for w, v in zip(row, values)) for row in weights])",
        "loops1": "out = sum(w * v for w, v in zip(weights, values))",
    },
}

# What a style writes, in order of preference; where a slip has none of it, the style does not have the slip.
FORWARD_STYLES: Mapping[str, tuple[Manner, ...]] = {
    "one forward": ("torch", "any"),
    "separate functions": ("torch", "any"),
    "one expression": ("any", "torch"),
    "einsum": ("einsum", "torch", "any"),
    "loops": ("loops", "torch", "any"),
    "NumPy": ("numpy", "any"),
}
FUNCTION_STYLES: Mapping[str, tuple[Manner, ...]] = {
    "plain": ("torch", "any"),
    "einsum": ("einsum", "einsum1"),
    "loops": ("loops", "loops1"),
    "NumPy": ("numpy", "any"),
}
_VARIABLES: Mapping[str, Mapping[str, str]] = {
    "separate functions": {"query": "q", "keys": "k", "values": "v"},
    "einsum": {"query": "q", "keys": "k", "values": "v", "scores": "s", "scaled": "z", "weights": "w"},
    "loops": {"query": "queries", "scores": "attn_scores", "weights": "attn_weights"},
    "NumPy": {"query": "Q", "keys": "K", "values": "V", "scores": "S", "scaled": "S_scaled", "weights": "A"},
}
# Loops go through a batch sequence by sequence: slips that a batch makes something else of are others there.
_NOT_IN_LOOPS = frozenset(
    {
        "dot-T-on-a-batch", "sqrt-of-the-first-axis", "sqrt-of-the-second-axis", "softmax-along-dim-1",
        "softmax-down-the-columns", "exponentials-divided-down-the-columns", "sum-without-keepdim",
        "exponentials-divided-by-their-total", "softmax-over-all-entries", "one-query-where-all-are-asked",
        "only-the-second-row-returned", "sqrt-of-the-number-of-axes", "nothing-returned",
    }
)  # fmt: skip


def pick(slip: Slip, manners: Sequence[Manner]) -> str | None:
    return next((slip[manner] for manner in manners if manner in slip), None)


def module_with(style: str, chosen: Chosen) -> str | None:
    """A class whose ``forward`` is written in ``style`` and wrong as ``chosen`` says; ``None`` where it cannot be.

    Raises ``ValueError`` for a stage that no ``forward`` written here has.
    """
    unknown = set(chosen) - {"projection", *(step for step, _, _ in STEPS)}
    if unknown:
        raise ValueError(f"no forward is written with a stage {', '.join(sorted(unknown))}: add it to STEPS")
    code = _steps(style, chosen)
    if code is None or (style == "loops" and _NOT_IN_LOOPS & set(chosen.values())):
        return None
    held = _held(chosen.get("projection"))
    views = _views(chosen.get("projection", ""), "inputs", _product(style))
    if chosen.get("projection") == "linear-bias-left-on":
        if style == "NumPy":
            return None
        views = [f"self.{name}(inputs)" for name in ("W_query", "W_key", "W_value")]
    if style == "one expression":
        nested = _nested(views, code, held)
        return None if nested is None else _module(held, f"{held.forward}\nreturn {nested}")
    if style == "separate functions":
        return _functions(held, views, code)
    lines = [f"{name} = {view}" for name, view in zip(("query", "keys", "values"), views, strict=True)]
    for (_, gives, _), step in zip(STEPS, code, strict=True):
        lines.append(_assigned(gives, step))
    body = _renamed("\n".join(lines), _VARIABLES.get(style, {}))
    if style == "NumPy":
        arrays = "inputs, W_query, W_key, W_value"
        to_numpy = f"{arrays} = (t.detach().numpy() for t in ({arrays}))"
        back = "return None if context is None else torch.from_numpy(np.asarray(context))"
        return _module(held, f"{held.forward}\n{to_numpy}\n{body}\n{back}")
    if style == "loops":
        batch = (
            "if inputs.dim() == 3:\n    return torch.stack([self.forward(sequence) for sequence in inputs])"
        )
        return _module(held, f"{batch}\n{held.forward}\n{body}\nreturn context")
    return _module(held, f"{held.forward}\n{body}\nreturn context")


def module_holding(held: Held) -> str:
    """A class that holds its weights in this way; the rest of it is right."""
    steps = [pick(RIGHT_STEPS[step], ("torch", "any")) for step, _, _ in STEPS]
    views = _views("", "inputs", "{inputs} @ {weights}")
    lines = [f"{name} = {view}" for name, view in zip(("query", "keys", "values"), views, strict=True)]
    lines += [_assigned(gives, step or "") for (_, gives, _), step in zip(STEPS, steps, strict=True)]
    body = "\n".join(lines)
    return _module(held, f"{held.forward}\n{body}\nreturn context")


def function_with(
    name: str, reads: Sequence[str], before: str, step: str, *, numpy: bool = False, several: bool = False
) -> str:
    """A function of one step: ``before`` are lines that give values the names that ``step`` knows them by.

    With ``numpy`` it computes in arrays; ``several`` says whether it returns more than one value.
    """
    lines = [before] if before else []
    if numpy:
        lines.insert(
            0, "\n".join(f"{n} = {n}.numpy() if isinstance({n}, torch.Tensor) else {n}" for n in reads)
        )
    lines.append(_assigned("out", step))
    back = "out"
    if numpy:
        one = "torch.from_numpy(np.asarray({}))"
        back = f"tuple({one.format('view')} for view in out)" if several else one.format("out")
    body = textwrap.indent("\n".join([*lines, f"return {back}"]), "    ")
    return f"def {name}({', '.join(reads)}):\n{body}\n"


def views_of(mistake: str, rows: str, style: str) -> list[str]:
    """The three projections with a mistake in them, the query made of ``rows``."""
    return _views(mistake, rows, _product(style))


def whole_attention(style: str, chosen: Chosen) -> list[str] | None:
    """The lines of all steps from ``query``, ``keys`` and ``values`` to ``context``, one wrong as chosen."""
    code = _steps(style, chosen)
    if code is None:
        return None
    return [_assigned(gives, step) for (_, gives, _), step in zip(STEPS, code, strict=True)]


def _steps(style: str, chosen: Chosen) -> list[str] | None:
    """The code of every step after the projection, the right one or the slip; ``None`` where a style lacks one."""
    manners = FORWARD_STYLES[style]
    code = []
    for step, _, slips in STEPS:
        slip = slip_of(step, chosen[step], slips) if step in chosen else RIGHT_STEPS[step]
        written = pick(slip, manners)
        if written is None:
            return None
        written = written.replace("ROWS", "inputs")
        if step == "softmax" and chosen.get("scaling") == "scaled-after-softmax":
            written = _assigned("out", written) + "\nout = out / keys.shape[-1] ** 0.5"
        code.append(written)
    return code


def _product(style: str) -> str:
    return {
        "einsum": "torch.einsum('...i,io->...o', {inputs}, {weights})",
        "loops": "torch.stack([row @ {weights} for row in {inputs}])",
    }.get(style, "{inputs} @ {weights}")


def _views(mistake: str, rows: str, product: str) -> list[str]:
    known = {**PROJECTION, **QUERY_SOURCE}
    parts = (
        slip_of("projection", mistake, known)["any"].split("; ")
        if mistake
        else ["W_query", "W_key", "W_value"]
    )
    views = []
    for place, part in enumerate(parts):
        if part in ("W_query", "W_key", "W_value"):
            inputs = rows if place == 0 else "inputs"
            form = product if inputs == "inputs" else "{inputs} @ {weights}"
            views.append(form.format(inputs=inputs, weights=part))
        else:
            views.append(part.replace("ROWS", rows))
    return views


def _held(mistake: str | None) -> Held:
    if mistake == "one-matrix-under-three-names":
        return Held(init="self.W_query = self.W_key = self.W_value = nn.Parameter(torch.rand(d_in, d_out))")
    if mistake == "linear-bias-left-on":
        init = "\n".join(f"self.{n} = nn.Linear(d_in, d_out)" for n in ("W_query", "W_key", "W_value"))
        return Held(init=init, forward="")
    return Held(init=RIGHT, forward=READ)


def _module(held: Held, forward: str) -> str:
    start = "super().__init__()\n" if held.with_super else ""
    init = textwrap.indent(start + held.init, " " * 8)
    body = textwrap.indent(forward, " " * 8)
    return (
        f"{IMPORTS}\n\nclass SelfAttention_v1(nn.Module):\n"
        f"    def __init__(self, d_in, d_out):\n{init}\n\n    def forward(self, inputs):\n{body}\n"
    )


def _functions(held: Held, views: Sequence[str], code: Sequence[str]) -> str:
    """Each step a function of its own, called by ``forward``."""
    known = ["inputs", "query", "keys", "values"]
    short = _VARIABLES["separate functions"]
    helpers = []
    calls = [f"{name} = {view}" for name, view in zip(known[1:], views, strict=True)]
    for (step, gives, _), written in zip(STEPS, code, strict=True):
        body = _renamed(textwrap.indent(f"{_assigned('out', written)}\nreturn out", "    "), short)
        parameters = ", ".join(short.get(name, name) for name in known)
        helpers.append(f"def {step}_of({parameters}):\n{body}\n")
        calls.append(f"{gives} = {step}_of({', '.join(known)})")
        known.append(gives)
    module = _module(held, "\n".join([held.forward, *calls, "return context"]))
    head, _, rest = module.partition("\n\n\n")
    return "\n\n\n".join([head, *helpers, rest])


def _nested(views: Sequence[str], code: Sequence[str], held: Held) -> str | None:
    """All steps in one expression, without a variable; ``None`` where a slip takes several lines or skips a step."""
    if any("out = " in step or "\n" in step for step in code):
        return None
    known = {name: f"({view})" for name, view in zip(("query", "keys", "values"), views, strict=True)}
    for (_, gives, _), step in zip(STEPS, code, strict=True):
        # Nobody computes the keys a second time for the sake of their width.
        short = step.replace(
            "keys.shape[-1]", "W_key.shape[-1]" if held.forward else "self.W_key.out_features"
        )
        known[gives] = f"({_renamed(short, known)})"
    whole = known["context"]
    return whole if all(part in whole for part in known.values()) else None


def _assigned(name: str, code: str) -> str:
    if "out = " in code or "\n" in code:
        block = code.rstrip("\n")
        return block if name == "out" else f"{block}\n{name} = out"
    return f"{name} = {code}"


def _renamed(code: str, names: Mapping[str, str]) -> str:
    if not names:
        return code
    pattern = re.compile(rf"\b({'|'.join(names)})\b")
    return pattern.sub(lambda found: names[found[1]], code)
