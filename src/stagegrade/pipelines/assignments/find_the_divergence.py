"""Broken attention code: name the first checkpoint that fails, then mend it. One stage a fault."""

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
    working_of_scaling,
)
from stagegrade.pipelines._pipeline import Pipeline
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._working import share, sum_of_products
from stagegrade.pipelines.mistakes import (
    CONTEXT,
    FIRST_FAILURES,
    KEY_INDEX,
    PROJECTION,
    QUERY_SOURCE,
    RETURNED,
    SCALING,
    SCORE,
    SCORES,
    SOFTMAX,
    WEIGHT_KINDS,
    from_query_and_keys,
    reading_globals,
    within_attention,
    worked_tensors,
)

WORKED = worked_tensors()

KIND_OF = {
    "W_query": "parameter",
    "softmax(scores)": "attention",
    "W_key": "parameter",
    "attn_weights": "attention",
    "nn.Linear.weight": "parameter",
    "W_value": "parameter",
    "share of each token in a context vector": "attention",
}
# The notebook's broken snippets, A to D, and the first checkpoint that each fails.
FIRST_FAILURE = {"A": "scaling step", "B": "query source", "C": "softmax axis", "D": "key index"}


def _weight_kinds(weight: str) -> str:
    return KIND_OF[weight]


def _first_failures(snippet: str) -> str:
    return FIRST_FAILURE[snippet]


def _query_source(inputs: Tensor, W_query: Tensor) -> Tensor:
    return inputs[QUERY_INDEX] @ W_query


def _key_index(query: Tensor, keys: Tensor) -> Tensor:
    return torch.dot(query, keys[1])


def _scaling_step(query: Tensor, keys: Tensor) -> Tensor:
    return scaled_scores(attention_scores(query, keys), keys)


def _softmax_axis(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    queries, keys, values = inputs @ W_query, inputs @ W_key, inputs @ W_value
    weights = attention_weights(scaled_scores(attention_scores(queries, keys), keys))
    return context_vectors(weights, values)


def _working_of_softmax_axis(
    name: str, at: tuple[int, ...], inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> str:
    """The first of the weights that the entry is mixed with: the step that the stage is about."""
    keys = inputs @ W_key
    scaled = scaled_scores(attention_scores(inputs @ W_query, keys), keys)
    weights = attention_weights(scaled)
    mixed = sum_of_products(weights[at[0]], (inputs @ W_value)[:, at[-1]])
    return f"with weights[{at[0]}, 0] = {share(scaled[at[0]], 0)} and so on, {mixed}"


def _keys(inputs: Tensor, W_key: Tensor) -> Tensor:
    return inputs @ W_key


def _worked() -> Mapping[str, Tensor]:
    return {"inputs": worked_inputs(), **worked_weights()}


PIPELINE = Pipeline(
    name="find_the_divergence",
    inputs={
        "inputs": ("n", "d_in"),
        "W_query": ("d_in", "d_k"),
        "W_key": ("d_in", "d_k"),
        "W_value": ("d_in", "d_v"),
    },
    choices={"weight": tuple(KIND_OF), "snippet": tuple(FIRST_FAILURE)},
    worked=_worked,
    exact_sizes={"d_k": 4},
    stages=(
        Stage(
            name="weight_kinds",
            purpose="tells weight parameters, settled by training, from attention weights, made in each forward pass",
            formula='"parameter" or "attention"',
            reference=_weight_kinds,
            gives={"kind": ()},
        ),
        Stage(
            name="first_failures",
            purpose="names the first checkpoint that each broken snippet fails",
            formula="query source, key index, scaling step, softmax axis",
            reference=_first_failures,
            gives={"checkpoint": ()},
        ),
        Stage(
            name="query_source",
            purpose="projects the second token to its query",
            formula="inputs[1] @ W_query",
            reference=_query_source,
            working=lambda name, at, inputs, W_query: sum_of_products(inputs[QUERY_INDEX], W_query[:, at[0]]),
            gives={"query": ("d_k",)},
            checkpoint="query source",
        ),
        Stage(
            name="keys",
            purpose="projects the inputs to keys",
            formula="inputs @ W_key",
            reference=_keys,
            gives={"keys": ("n", "d_k")},
            of="given",
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
            name="scaling_step",
            purpose="scores the query against all keys and divides by the square root of the keys' dimension",
            formula="query @ keys.T / √d_k",
            reference=_scaling_step,
            working=lambda name, at, query, keys: working_of_scaling(
                name, at, attention_scores(query, keys), keys
            ),
            gives={"scaled": ("n",)},
            checkpoint="scaling step",
        ),
        Stage(
            name="softmax_axis",
            purpose="gives every token's context vector, its weights summing to one over the keys",
            formula="softmax(queries @ keys.T / √d_k, dim=-1) @ values",
            reference=_softmax_axis,
            working=_working_of_softmax_axis,
            gives={"context": ("n", "d_v")},
            checkpoint="softmax axis",
        ),
    ),
    mistakes=(
        *WEIGHT_KINDS.on(),
        *RETURNED.on("weight_kinds"),
        *FIRST_FAILURES.on(),
        *RETURNED.on("first_failures"),
        *reading_globals(
            (
                *QUERY_SOURCE.on(),
                *PROJECTION.on(
                    "query_source",
                    without=(
                        "query-and-key-weights-swapped",
                        "query-and-value-weights-swapped",
                        "weights-in-the-order-key-value-query",
                        "weights-in-the-order-value-query-key",
                        "keys-made-with-W_query",
                        "keys-made-with-W_value",
                        "values-made-with-W_key",
                        "values-made-with-W_query",
                        "one-matrix-for-all-three",
                        "one-matrix-under-three-names",
                        "keys-left-as-raw-inputs",
                        "values-left-as-raw-inputs",
                        "linear-bias-left-on",
                        "keys-and-values-swapped",
                        "one-query-where-all-are-asked",
                    ),
                ),
            ),
            reads=("inputs", "W_query"),
            outside=WORKED,
        ),
        *RETURNED.on("query_source"),
        *reading_globals(KEY_INDEX.on(), reads=("query", "keys"), outside=WORKED),
        *SCORE.on("key_index", without=("tokens-fixed-in-the-code",)),
        *RETURNED.on("key_index"),
        *reading_globals(
            from_query_and_keys(
                SCALING.on(
                    "scaling_step",
                    without=(
                        "divides-by-sqrt-d_v",
                        "sqrt-of-the-first-axis",
                        "sqrt-of-the-second-axis",
                        "scaled-after-softmax",
                    ),
                )
            ),
            reads=("query", "keys"),
            outside=WORKED,
        ),
        *RETURNED.on("scaling_step"),
        # Without what always raises: errors alone cannot be told apart.
        *within_attention(
            "softmax_axis",
            SCORES.on(
                without=(
                    "no-transpose",
                    "queries-transposed-instead-of-keys",
                    "keys-elementwise",
                    "queries-by-values",
                    "summed-over-the-tokens",
                    "raw-inputs-as-keys",
                    "raw-inputs-as-queries",
                    "dot-T-on-a-batch",
                    "one-row-of-scores-only",
                    "query-fixed-to-the-second-token",
                    "scores-scaled-too-early",
                    "weights-instead-of-scores",
                    "only-the-last-score-kept",
                    "scores-as-one-row",
                )
            ),
            SCALING.on(
                without=(
                    "sqrt-of-the-first-axis",
                    "sqrt-of-the-second-axis",
                    "softmax-before-scaling",
                    "root-of-d_k-subtracted",
                )
            ),
            SOFTMAX.on(
                without=(
                    "softmax-over-the-queries",
                    "softmax-along-dim-1",
                    "softmax-of-the-unscaled-scores",
                    "scaled-inside-softmax",
                    "index-of-the-largest",
                )
            ),
            CONTEXT.on(
                without=(
                    "weights-by-values-elementwise",
                    "values-by-weights",
                    "scaled-scores-as-weights",
                    "only-the-heaviest-value",
                    "inputs-added",
                )
            ),
        ),
        *RETURNED.on("softmax_axis"),
    ),
)
