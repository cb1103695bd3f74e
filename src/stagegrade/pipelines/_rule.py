"""What an assignment does not allow, however right the result."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Costs(StrEnum):
    """What comes of a call that is not allowed."""

    NOTHING = "nothing"
    """It is allowed: lifts the rule that an assignment comes with."""
    FLAG = "flag"
    """The instructor is told; the points stay."""
    POINTS = "points"
    """The instructor is told, and the stage gets no points."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A call that may not be used, by its last name, such as ``scaled_dot_product_attention``."""

    call: str
    costs: Costs = Costs.FLAG
    stages: tuple[str, ...] = ()
    """The stages it may not be used for; empty for all of them."""

    def holds_for(self, stage: str) -> bool:
        return not self.stages or stage in self.stages

    def names(self, called: str) -> bool:
        """Whether ``called``, as torch or Python names a function, is this call or its inner working."""
        return called.strip("_") == self.call.strip("_") or called.strip("_").startswith(
            f"{self.call.strip('_')}_"
        )


def with_changes(rules: Iterable[Rule], changes: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, each replaced by the change for the same call where there is one; those that cost nothing left out."""
    by_call = {rule.call: rule for rule in rules} | {rule.call: rule for rule in changes}
    return tuple(rule for rule in by_call.values() if rule.costs != Costs.NOTHING)
