"""Calls that a course does not allow, as its configuration names them, and where a notebook's text has them."""

from collections.abc import Mapping, Sequence

from IPython.core.inputtransformer2 import TransformerManager
from traitlets import TraitError

from stagegrade.judge import mentioned
from stagegrade.pipelines import Costs, Pipeline, Rule, with_changes

Configured = Mapping[str, Mapping[str, str]]
"""By pipeline and call, what the call costs: ``{"self_attention": {"scaled_dot_product_attention": "points"}}``."""


def rules_of(pipeline: Pipeline, configured: Configured) -> tuple[Rule, ...]:
    """The rules of a pipeline with a course's own in place of those for the same calls.

    Raises ``TraitError`` for a cost that there is not.
    """
    changes = []
    for call, costs in configured.get(pipeline.name, {}).items():
        known = ", ".join(repr(str(cost)) for cost in Costs)
        if costs not in list(Costs):
            raise TraitError(f"c.StageExecute.rules: {call} may cost {known}, not {costs!r}")
        # A course says what a call costs; for which stages, the assignment knows best.
        stages = next((rule.stages for rule in pipeline.rules if rule.call == call), ())
        changes.append(Rule(call=call, costs=Costs(costs), stages=stages))
    return with_changes(pipeline.rules, changes)


def named_in(code: str, rules: Sequence[Rule]) -> list[str]:
    """The calls that a cell's code names, magics and shell commands set aside."""
    if not rules:
        return []
    try:
        return mentioned(rules, TransformerManager().transform_cell(code))
    except SyntaxError:
        return []
