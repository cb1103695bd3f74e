"""One step of an LSTM (Hochreiter and Schmidhuber, 1997; forget gate: Gers et al., 2000), without biases."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from stagegrade.pipelines import Catalogue, ModuleForm, Pipeline, Shape, Stage, Value

# For each gate and for what is new: a matrix for the input and one for the state.
NAMES = ("forget", "add", "show", "new")
WEIGHTS = {f"W_{k}": ("d_in", "d") for k in NAMES} | {f"U_{k}": ("d", "d") for k in NAMES}
STATE = ("n", "d")
INPUTS = {"x": ("n", "d_in"), "h": STATE, "c": STATE, **WEIGHTS}
WRONG = {stage: Catalogue(stage) for stage in ("gates", "candidate", "cell", "hidden")}


def parameters(d_in: int, d: int) -> Mapping[str, Value]:
    kept = {"registered": True, "trainable": True, "unchanged by forward": True, "gradient": True}
    return {name: {**kept, "shape": (d_in, d) if name[0] == "W" else (d, d)} for name in WEIGHTS}


def gates(
    x: Tensor, h: Tensor, W_forget: Tensor, U_forget: Tensor, W_add: Tensor, U_add: Tensor, W_show: Tensor,
    U_show: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    sums = (x @ W_forget + h @ U_forget, x @ W_add + h @ U_add, x @ W_show + h @ U_show)
    return torch.sigmoid(sums[0]), torch.sigmoid(sums[1]), torch.sigmoid(sums[2])


def candidate(x: Tensor, h: Tensor, W_new: Tensor, U_new: Tensor) -> Tensor:
    return torch.tanh(x @ W_new + h @ U_new)


def cell(forget: Tensor, add: Tensor, new: Tensor, c: Tensor) -> Tensor:
    return forget * c + add * new


def hidden(show: Tensor, cell: Tensor) -> Tensor:
    return show * torch.tanh(cell)


def worked() -> Mapping[str, Tensor]:
    generator, sizes = torch.Generator().manual_seed(1), {"n": 2, "d_in": 3, "d": 2}
    return {
        name: torch.rand([sizes[s] for s in shape], generator=generator) for name, shape in INPUTS.items()
    }


def wrong(stage: str, name: str, sees: str, why: str, hint: str, variant: Callable[..., Value]) -> None:
    WRONG[stage].mistake(name=name, sees=sees, why=why, hint=hint)(variant)


wrong("gates", "forget-and-add-exchanged", "What should be kept is overwritten.", "Two gates changed places.",
      "Write beside each gate what it multiplies.", lambda x, h, W_forget, U_forget, W_add, U_add, W_show, U_show:
      gates(x, h, W_add, U_add, W_forget, U_forget, W_show, U_show))  # fmt: skip
wrong("candidate", "sigmoid-for-tanh", "Nothing new is ever negative.", "Only gates lie between 0 and 1.",
      "Print the smallest entry.", lambda x, h, W_new, U_new: torch.sigmoid(x @ W_new + h @ U_new))  # fmt: skip
wrong("candidate", "state-left-out", "Another state gives the same.", "What came before has a say.",
      "Count the matrices that are read.", lambda x, W_new: torch.tanh(x @ W_new))  # fmt: skip
wrong("cell", "nothing-kept", "The old cell does not matter.", "A cell remembers.",
      "Look for c in your line.", lambda add, new: add * new)  # fmt: skip
wrong("hidden", "cell-returned", "The state equals the cell.", "A part of it is shown.",
      "Look at what is returned.", lambda cell: cell.clone())  # fmt: skip

FORMS: Mapping[str, tuple[str, str, Mapping[str, Shape]]] = {
    "parameters": ("registers eight matrices", "nn.Parameter(torch.rand(rows, columns))", {"held": ()}),
    "gates": ("says what is kept", "σ(x W + h U)", dict.fromkeys(("forget", "add", "show"), STATE)),
    "candidate": ("proposes what is new", "tanh(x W + h U)", {"new": STATE}),
    "cell": ("keeps and adds", "forget · c + add · new", {"cell": STATE}),
    "hidden": ("shows a part", "show · tanh(cell)", {"hidden": STATE}),
}
PIPELINE = Pipeline(
    name="lstm_cell", inputs=INPUTS, worked=worked, mistakes=tuple(m for c in WRONG.values() for m in c),
    module=ModuleForm(build=("d_in", "d"), weights=WEIGHTS, forward=("x", "h", "c"), result="hidden"),
    stages=tuple(Stage(name=name, purpose=purpose, formula=formula, gives=gives, reference=globals()[name],
                       of="parameters" if name == "parameters" else "forward")
                 for name, (purpose, formula, gives) in FORMS.items()),
)  # fmt: skip
