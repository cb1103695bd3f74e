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
)
from stagegrade.pipelines._pipeline import Pipeline
from stagegrade.pipelines._stage import Stage

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
            gives={"second_score": ()},
            checkpoint="key index",
        ),
        Stage(
            name="scaling_step",
            purpose="scores the query against all keys and divides by the square root of the keys' dimension",
            formula="query @ keys.T / √d_k",
            reference=_scaling_step,
            gives={"scaled": ("n",)},
            checkpoint="scaling step",
        ),
        Stage(
            name="softmax_axis",
            purpose="gives every token's context vector, its weights summing to one over the keys",
            formula="softmax(queries @ keys.T / √d_k, dim=-1) @ values",
            reference=_softmax_axis,
            gives={"context": ("n", "d_v")},
            checkpoint="softmax axis",
        ),
    ),
)
