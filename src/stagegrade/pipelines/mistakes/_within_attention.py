"""Mistakes of single steps, for a stage whose one function takes all the steps of attention."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace

from torch import Tensor

from stagegrade.pipelines._attention import (
    attention_scores,
    attention_weights,
    context_vectors,
    scaled_scores,
)
from stagegrade.pipelines._mistake import Mistake
from stagegrade.pipelines._value import Value

STEPS: tuple[tuple[str, str, Callable[..., Value]], ...] = (
    ("scores", "scores", attention_scores),
    ("scaling", "scaled", scaled_scores),
    ("softmax", "weights", attention_weights),
    ("context", "context", context_vectors),
)
CHECKPOINTS = {"scores": "key index", "scaling": "scaling step"}


def within_attention(stage: str, *families: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """The mistakes of scores, scaling, softmax or context, put into the whole computation.

    Each keeps the checkpoint of its own step, which need not be the one of ``stage``.
    """
    return tuple(
        replace(
            mistake,
            stage=stage,
            variant=_Within(mistake),
            later={},
            checkpoint=mistake.checkpoint or CHECKPOINTS.get(mistake.stage),
        )
        for family in families
        for mistake in family
    )


class _Within:
    """Attention from the inputs to the context vectors, with one step replaced by a mistake's variant."""

    def __init__(self, mistake: Mistake) -> None:
        self._steps = tuple(
            (step, gives, variant, tuple(inspect.signature(variant).parameters))
            for step, gives, reference in STEPS
            for variant in [mistake.variant if step == mistake.stage else reference]
        )
        self._later = {
            step: (variant, tuple(inspect.signature(variant).parameters))
            for step, variant in mistake.later.items()
        }
        self.__signature__ = inspect.signature(self._attention)

    def __call__(self, **inputs: Tensor) -> Value:
        return self._attention(**inputs)

    def _attention(self, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Value:
        known: dict[str, Value] = {
            "inputs": inputs,
            "W_query": W_query,
            "W_key": W_key,
            "W_value": W_value,
            "query": inputs @ W_query,  # (n, d_k)
            "keys": inputs @ W_key,  # (n, d_k)
            "values": inputs @ W_value,  # (n, d_v)
        }
        for step, gives, compute, names in self._steps:
            known[gives] = compute(**{name: known[name] for name in names})
            if step in self._later:
                change, reads = self._later[step]
                known["given"] = known[gives]
                known[gives] = change(**{name: known[name] for name in reads})
        return known["context"]
