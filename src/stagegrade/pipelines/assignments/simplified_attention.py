"""Attention without weights to train: dot products of the raw inputs."""

from collections.abc import Mapping

import torch
from torch import Tensor

from stagegrade.pipelines._attention import (
    QUERY_INDEX,
    attention_scores,
    attention_weights,
    context_vectors,
    worked_inputs,
    working_of_context,
    working_of_scores,
    working_of_softmax,
)
from stagegrade.pipelines._pipeline import Pipeline
from stagegrade.pipelines._stage import Stage
from stagegrade.pipelines._working import sum_of_products
from stagegrade.pipelines.mistakes import (
    CONTEXT,
    RETURNED,
    SCORE,
    SCORES,
    SOFTMAX,
    reading_globals,
    worked_tensors_without_weights,
)

WORKED = worked_tensors_without_weights()


def _score(query: Tensor, token: Tensor) -> Tensor:
    return torch.dot(query, token)


def _scores(query: Tensor, inputs: Tensor) -> Tensor:
    return attention_scores(query, inputs)


def _score_matrix(inputs: Tensor) -> Tensor:
    return attention_scores(inputs, inputs)


def _softmax(score_matrix: Tensor) -> Tensor:
    return attention_weights(score_matrix)


def _context(weights: Tensor, inputs: Tensor) -> Tensor:
    return context_vectors(weights, inputs)


def _worked() -> Mapping[str, Tensor]:
    inputs = worked_inputs()
    return {"inputs": inputs, "query": inputs[QUERY_INDEX], "token": inputs[0]}


PIPELINE = Pipeline(
    name="simplified_attention",
    inputs={"inputs": ("n", "d"), "query": ("d",), "token": ("d",)},
    worked=_worked,
    stages=(
        Stage(
            name="score",
            purpose="measures how well one query matches one token",
            formula="query · token",
            reference=_score,
            working=lambda name, at, query, token: sum_of_products(query, token),
            gives={"score": ()},
        ),
        Stage(
            name="scores",
            purpose="scores one query against every token",
            formula="inputs @ query",
            reference=_scores,
            working=working_of_scores,
            gives={"scores": ("n",)},
            checkpoint="query source",
            aliases={"keys": "inputs"},
        ),
        Stage(
            name="score_matrix",
            purpose="scores every query against every token at once",
            formula="inputs @ inputs.T",
            reference=_score_matrix,
            working=lambda name, at, inputs: working_of_scores(name, at, inputs, inputs),
            gives={"score_matrix": ("n", "n")},
            checkpoint="query source",
            aliases={"query": "inputs", "keys": "inputs"},
        ),
        Stage(
            name="softmax",
            purpose="turns each row of scores into weights that sum to one",
            formula="softmax(scores, dim=-1)",
            reference=_softmax,
            working=working_of_softmax,
            gives={"weights": ("n", "n")},
            checkpoint="softmax axis",
            aliases={"scaled": "score_matrix"},
        ),
        Stage(
            name="context",
            purpose="mixes the inputs by the attention weights",
            formula="weights @ inputs",
            reference=_context,
            working=working_of_context,
            gives={"context": ("n", "d")},
            aliases={"values": "inputs"},
        ),
    ),
    mistakes=(
        *reading_globals(SCORE.on(), reads=("query", "token"), outside=WORKED),
        *RETURNED.on("score"),
        *SCORES.on(
            "scores",
            without=(
                "keys-by-queries",
                "queries-transposed-instead-of-keys",
                "raw-inputs-as-keys",
                "raw-inputs-as-queries",
                "raw-inputs-on-both-sides",
                "queries-by-values",
                "dot-T-on-a-batch",
                "loop-stops-before-the-last-query",
                "both-loops-stop-early",
                "only-the-diagonal",
                "one-score-a-token",
                "second-query-for-every-row",
                "one-row-of-scores-only",
                "scores-above-the-diagonal-only",
                "half-of-the-scores-mirrored",
            ),
        ),
        *RETURNED.on("scores"),
        *SCORES.on(
            "score_matrix",
            without=(
                "keys-by-queries",
                "raw-inputs-as-keys",
                "raw-inputs-as-queries",
                "raw-inputs-on-both-sides",
                "queries-by-queries",
                "keys-by-keys",
                "queries-by-values",
                "dot-T-on-a-batch",
                "half-of-the-scores-mirrored",
                "query-fixed-to-the-second-token",
                "scores-as-one-row",
            ),
        ),
        *RETURNED.on("score_matrix"),
        *reading_globals(
            SOFTMAX.on(
                without=(
                    "softmax-over-the-queries",
                    "softmax-along-dim-1",
                    "softmax-of-the-unscaled-scores",
                )
            ),
            reads=("scaled",),
            outside=WORKED,
        ),
        *RETURNED.on("softmax"),
        *reading_globals(
            CONTEXT.on(
                without=(
                    "weights-by-keys",
                    "weights-by-queries",
                    "weights-by-raw-inputs",
                    "scaled-scores-as-weights",
                )
            ),
            reads=("weights", "values", "inputs"),
            outside=WORKED,
        ),
        *RETURNED.on("context"),
    ),
)
