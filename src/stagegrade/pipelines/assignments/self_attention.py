"""The whole layer: one class, one ``forward``, five steps."""

from collections.abc import Mapping

import torch
from torch import Tensor

from stagegrade.pipelines._attention import (
    QUERY_INDEX,
    attention_scores,
    attention_weights,
    context_vectors,
    scaled_scores,
    worked_inputs,
    worked_weights,
    working_of_context,
    working_of_scaling,
    working_of_scores,
    working_of_softmax,
)
from stagegrade.pipelines._pipeline import ModuleForm, Pipeline
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._value import Value
from stagegrade.pipelines._working import figure, sum_of_products
from stagegrade.pipelines.mistakes import (
    CONTEXT,
    PARAMETERS,
    PROJECTION,
    RETURNED,
    SCALING,
    SCORES,
    SHAPE_PREDICTION,
    SINGLE_TOKEN_CHECK,
    SOFTMAX,
)

WEIGHTS = ("W_query", "W_key", "W_value")


def _shape_prediction(n: int, d_in: int, d_out: int) -> tuple[int, int]:
    del d_in  # the columns come from d_out alone: that is the point of the prediction
    return n, d_out


def _parameters(d_in: int, d_out: int) -> Mapping[str, Value]:
    return {
        name: {
            "registered": True,
            "trainable": True,
            "shape": (d_in, d_out),
            "unchanged by forward": True,
            "gradient": True,
            "changed by training": True,
        }
        for name in WEIGHTS
    }


def _projection(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return inputs @ W_query, inputs @ W_key, inputs @ W_value


def _working_of_projection(
    name: str, at: tuple[int, ...], inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> str:
    weights = {"query": W_query, "keys": W_key, "values": W_value}[name]
    return sum_of_products(inputs[at[0]], weights[:, at[-1]])


# Row 1 up to rounding, and near misses: each is noticed by another kind of check.
LIKENESS = (
    "row 1",
    "row 2",
    "smallest entry off",
    "row 1",
    "row 0",
    "largest entry off",
    "row 1 exactly",
    "two entries exchanged",
)
OFF = 5e-4
"""Of a near miss: as far as the worked example's rows 1 and 2 are from each other, and far from rounding."""


def _candidate(context: Tensor, likeness: str) -> Tensor:
    """A vector (d_out,) to hold against row 1: the row itself, the row up to rounding, or a near miss."""
    row = context[QUERY_INDEX]
    if likeness == "row 2":
        return context[2]
    if likeness == "row 0":
        return context[0]
    if likeness == "row 1":
        # The last bit or two: not equal, though nobody could print the difference.
        return row * (1 + 2.4e-7)
    made = row.clone()
    sizes = row.abs().tolist()
    # Not the first entry where the smallest is looked for, nor the last where the largest is: a check of either
    # alone is caught whatever the numbers.
    smallest = min(range(1, len(sizes)), key=sizes.__getitem__, default=0)
    largest = max(range(len(sizes) - 1), key=sizes.__getitem__, default=0)
    if likeness == "smallest entry off":
        made[smallest] += OFF * max(1.0, sizes[smallest])
    if likeness == "largest entry off":
        made[largest] -= OFF * max(0.3, sizes[largest])
    if likeness == "two entries exchanged":
        # The same sum, and the same mean.
        ends = [int(row.argmin()), int(row.argmax())]
        made[ends] = row[ends[::-1]]
    return made


def _single_token_check(context: Tensor, candidate: Tensor) -> bool:
    return bool(torch.allclose(context[QUERY_INDEX], candidate, rtol=1e-4, atol=1e-6))


def _working_of_single_token_check(name: str, at: tuple[int, ...], context: Tensor, candidate: Tensor) -> str:
    off = [figure(float(x)) for x in (context[QUERY_INDEX] - candidate).abs()]
    return f"|context[{QUERY_INDEX}] - candidate| = [{', '.join(off)}]"


def _worked() -> Mapping[str, Tensor]:
    biases = {name: torch.zeros(2) for name in ("b_query", "b_key", "b_value")}
    return {"inputs": worked_inputs(), **worked_weights(), **biases}


PIPELINE = Pipeline(
    name="self_attention",
    inputs={
        "inputs": ("n", "d_in"),
        "W_query": ("d_in", "d_out"),
        "W_key": ("d_in", "d_out"),
        "W_value": ("d_in", "d_out"),
        "b_query": ("d_out",),
        "b_key": ("d_out",),
        "b_value": ("d_out",),
    },
    choices={"likeness": LIKENESS},
    worked=_worked,
    exact_sizes={"d_out": 4},
    module=ModuleForm(
        build=("d_in", "d_out"),
        weights=dict.fromkeys(WEIGHTS, ("d_in", "d_out")),
        biases={"W_query": "b_query", "W_key": "b_key", "W_value": "b_value"},
        forward=("inputs",),
        result="context",
    ),
    stages=(
        Stage(
            name="shape_prediction",
            purpose="predicts the rows and columns of the output before any code runs",
            formula="(n, d_out)",
            reference=_shape_prediction,
            working=lambda name, at, n, d_in, d_out: f"n tokens of d_out numbers each: ({n}, {d_out})",
            gives={"shape": ()},
        ),
        Stage(
            name="parameters",
            purpose="registers the three weight matrices, so that training can find and change them",
            formula="nn.Parameter(torch.rand(d_in, d_out))",
            reference=_parameters,
            gives={"registered": ()},
            of="parameters",
        ),
        Stage(
            name="projection",
            purpose="gives three views of the same inputs: queries, keys, values",
            formula="inputs @ W_query, inputs @ W_key, inputs @ W_value",
            reference=_projection,
            working=_working_of_projection,
            gives={"query": ("n", "d_out"), "keys": ("n", "d_out"), "values": ("n", "d_out")},
            of="forward",
            checkpoint="query source",
            batched=True,
        ),
        Stage(
            name="scores",
            purpose="scores every query against every key",
            formula="queries @ keys.transpose(-2, -1)",
            reference=attention_scores,
            working=working_of_scores,
            gives={"scores": ("n", "n")},
            of="forward",
            checkpoint="key index",
            batched=True,
        ),
        Stage(
            name="scaling",
            purpose="divides the scores by the square root of the keys' dimension",
            formula="scores / √d_k",
            reference=scaled_scores,
            working=working_of_scaling,
            gives={"scaled": ("n", "n")},
            of="forward",
            checkpoint="scaling step",
            batched=True,
        ),
        Stage(
            name="softmax",
            purpose="turns each row of scaled scores into weights that sum to one",
            formula="softmax(scaled, dim=-1)",
            reference=attention_weights,
            working=working_of_softmax,
            gives={"weights": ("n", "n")},
            of="forward",
            checkpoint="softmax axis",
            batched=True,
        ),
        Stage(
            name="context",
            purpose="mixes the values by the attention weights",
            formula="weights @ values",
            reference=context_vectors,
            working=working_of_context,
            gives={"context": ("n", "d_out")},
            of="forward",
            batched=True,
        ),
        Stage(
            name="candidate",
            purpose="draws a vector to hold against row 1",
            formula="context[1], or nearly",
            reference=_candidate,
            gives={"candidate": ("d_out",)},
            of="given",
        ),
        Stage(
            name="single_token_check",
            purpose="says whether row 1 of the output is the context of the single token",
            formula="allclose(context[1], single)",
            reference=_single_token_check,
            working=_working_of_single_token_check,
            gives={"agrees": ()},
        ),
    ),
    mistakes=(
        *SHAPE_PREDICTION.on(),
        *RETURNED.on("shape_prediction"),
        *PARAMETERS.on(),
        *PROJECTION.on(),
        *SCORES.on(
            without=(
                "one-row-of-scores-only",
                "query-fixed-to-the-second-token",
                "scores-scaled-too-early",
                "weights-instead-of-scores",
                "only-the-last-score-kept",
                "scores-as-one-row",
            )
        ),
        *SCALING.on(without=("divides-by-sqrt-d_v", "softmax-before-scaling", "root-of-d_k-subtracted")),
        *SOFTMAX.on(without=("scaled-inside-softmax",)),
        *CONTEXT.on(without=("scaled-scores-as-weights", "only-the-heaviest-value", "inputs-added")),
        *RETURNED.on("context"),
        *SINGLE_TOKEN_CHECK.on(),
        *RETURNED.on("single_token_check"),
    ),
)
