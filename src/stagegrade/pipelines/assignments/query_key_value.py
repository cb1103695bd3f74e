"""One query against all keys and values, each stage a function of its own."""

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
from stagegrade.pipelines._pipeline import Pipeline
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._working import sum_of_products
from stagegrade.pipelines.mistakes import (
    CONTEXT,
    KEY_INDEX,
    PROJECTION,
    QUERY_SOURCE,
    RETURNED,
    SCALING,
    SCORE,
    SCORES,
    SOFTMAX,
    reading_globals,
    worked_tensors,
)

WORKED = worked_tensors()


def _projection(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return inputs[QUERY_INDEX] @ W_query, inputs @ W_key, inputs @ W_value


def _working_of_projection(
    name: str, at: tuple[int, ...], inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> str:
    weights = {"query": W_query, "keys": W_key, "values": W_value}[name]
    row = QUERY_INDEX if name == "query" else at[0]
    return sum_of_products(inputs[row], weights[:, at[-1]])


def _key_index(query: Tensor, keys: Tensor) -> Tensor:
    return torch.dot(query, keys[1])


def _worked() -> Mapping[str, Tensor]:
    return {"inputs": worked_inputs(), **worked_weights()}


PIPELINE = Pipeline(
    name="query_key_value",
    inputs={
        "inputs": ("n", "d_in"),
        "W_query": ("d_in", "d_k"),
        "W_key": ("d_in", "d_k"),
        "W_value": ("d_in", "d_v"),
    },
    worked=_worked,
    exact_sizes={"d_k": 4},
    stages=(
        Stage(
            name="projection",
            purpose="gives three views of the same inputs: one query, all keys, all values",
            formula="inputs[1] @ W_query, inputs @ W_key, inputs @ W_value",
            reference=_projection,
            working=_working_of_projection,
            gives={"query": ("d_k",), "keys": ("n", "d_k"), "values": ("n", "d_v")},
            checkpoint="query source",
        ),
        Stage(
            name="key_index",
            purpose="scores the query against the second key",
            formula="query · keys[1]",
            reference=_key_index,
            working=lambda name, at, query, keys: sum_of_products(query, keys[1]),
            gives={"second_score": ()},
            checkpoint="key index",
            aliases={"token": "keys"},
        ),
        Stage(
            name="scores",
            purpose="scores the query against all keys at once",
            formula="query @ keys.T",
            reference=attention_scores,
            working=working_of_scores,
            gives={"scores": ("n",)},
        ),
        Stage(
            name="scaling",
            purpose="divides the scores by the square root of the keys' dimension",
            formula="scores / √d_k",
            reference=scaled_scores,
            working=working_of_scaling,
            gives={"scaled": ("n",)},
            checkpoint="scaling step",
        ),
        Stage(
            name="softmax",
            purpose="turns the scaled scores into weights that sum to one",
            formula="softmax(scaled, dim=-1)",
            reference=attention_weights,
            working=working_of_softmax,
            gives={"weights": ("n",)},
            checkpoint="softmax axis",
        ),
        Stage(
            name="context",
            purpose="mixes the values by the attention weights",
            formula="weights @ values",
            reference=context_vectors,
            working=working_of_context,
            gives={"context": ("d_v",)},
        ),
    ),
    mistakes=(
        *QUERY_SOURCE.on("projection"),
        *PROJECTION.on(
            without=(
                "linear-bias-left-on",
                "one-matrix-under-three-names",
                "one-query-where-all-are-asked",
            )
        ),
        *RETURNED.on("projection"),
        *reading_globals(KEY_INDEX.on(), reads=("query", "keys"), outside=WORKED),
        *SCORE.on("key_index", without=("tokens-fixed-in-the-code",)),
        *RETURNED.on("key_index"),
        *reading_globals(
            SCORES.on(
                without=(
                    "keys-by-queries",
                    "queries-transposed-instead-of-keys",
                    "dot-T-on-a-batch",
                    "loop-stops-before-the-last-query",
                    "both-loops-stop-early",
                    "only-the-diagonal",
                    "one-score-a-token",
                    "second-query-for-every-row",
                    "one-row-of-scores-only",
                    "scores-above-the-diagonal-only",
                    "half-of-the-scores-mirrored",
                    "query-fixed-to-the-second-token",
                )
            ),
            reads=("query", "keys"),
            outside=WORKED,
        ),
        *RETURNED.on("scores"),
        *reading_globals(
            SCALING.on(
                without=(
                    "divides-by-sqrt-d_v",
                    "sqrt-of-the-first-axis",
                    "sqrt-of-the-second-axis",
                    "scaled-after-softmax",
                )
            ),
            reads=("scores", "keys"),
            outside=WORKED,
        ),
        *RETURNED.on("scaling"),
        *reading_globals(
            SOFTMAX.on(
                without=(
                    "softmax-down-the-columns",
                    "softmax-over-the-queries",
                    "softmax-over-all-entries",
                    "exponentials-divided-by-their-total",
                    "exponentials-divided-down-the-columns",
                    "sum-without-keepdim",
                    "later-tokens-masked",
                    "own-token-masked",
                )
            ),
            reads=("scaled",),
            outside=WORKED,
        ),
        *RETURNED.on("softmax"),
        *reading_globals(
            CONTEXT.on(
                without=(
                    "weights-by-queries",
                    "weights-transposed-before-mixing",
                    "transposed-values-by-weights",
                    "accumulator-not-reset",
                    "values-changed-in-place",
                    "inputs-added",
                    "only-the-second-row-returned",
                )
            ),
            reads=("weights", "values"),
            outside=WORKED,
        ),
        *RETURNED.on("context"),
    ),
)
