"""What a function finds that reaches past its arguments: the tensors of the worked example."""

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace

from torch import Tensor

from stagegrade.pipelines._attention import (
    QUERY_INDEX,
    attention_scores,
    scaled_scores,
    worked_inputs,
    worked_weights,
)
from stagegrade.pipelines._mistake import Mistake
from stagegrade.pipelines._value import Value


def worked_tensors() -> dict[str, Tensor]:
    """The worked example's tensors with one query: sizes n = 6, d_in = 3, d_k = d_v = 2."""
    inputs, weights = worked_inputs(), worked_weights()
    query = inputs[QUERY_INDEX] @ weights["W_query"]  # (2,)
    keys = inputs @ weights["W_key"]  # (6, 2)
    scores = attention_scores(query, keys)  # (6,)
    return {
        "inputs": inputs,
        **weights,
        "query": query,
        "keys": keys,
        "values": inputs @ weights["W_value"],  # (6, 2)
        "scores": scores,
        "scaled": scaled_scores(scores, keys),
    }


def worked_tensors_without_weights() -> dict[str, Tensor]:
    """The same for simplified attention, where the inputs (6, 3) are keys and values, and all are queries."""
    inputs = worked_inputs()
    scores = attention_scores(inputs, inputs)  # (6, 6)
    return {"inputs": inputs, "keys": inputs, "values": inputs, "scores": scores}


def reading_globals(
    mistakes: Iterable[Mistake], *, reads: tuple[str, ...], outside: Mapping[str, Tensor]
) -> tuple[Mistake, ...]:
    """The mistakes for a function given only ``reads``: whatever else it names comes from ``outside``.

    A student's code has the worked example's tensors at hand under the same names, so that is what a slip of
    the name takes. All names here are the catalogue's own, before a stage's aliases.
    """
    return tuple(
        mistake
        if set(mistake.parameters) <= {*reads, "reference"}
        else replace(mistake, variant=_WithGlobals(mistake, reads, outside))
        for mistake in mistakes
    )


class _WithGlobals:
    """A variant that takes from outside what its function is not given."""

    def __init__(self, mistake: Mistake, reads: tuple[str, ...], outside: Mapping[str, Tensor]) -> None:
        self._variant = mistake.variant
        given = [name for name in mistake.parameters if name in reads or name == "reference"]
        self._globals = {name: outside[name] for name in mistake.parameters if name not in given}
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in given])

    def __call__(self, **given: Value) -> Value:
        return self._variant(**given, **self._globals)
