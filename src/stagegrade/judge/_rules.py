"""Calls that an assignment does not allow: found where a stage made them, and in the text of a cell."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace

from stagegrade.diagnosis import StageVerdict
from stagegrade.pipelines import Costs, Rule


def broken(rules: Sequence[Rule], stage: str, called: Iterable[str]) -> list[Rule]:
    """The rules for ``stage`` that one of the calls breaks."""
    names = list(called)
    return [rule for rule in rules if rule.holds_for(stage) and any(rule.names(name) for name in names)]


def under_rules(found: StageVerdict, rules: Sequence[Rule]) -> StageVerdict:
    """The verdict of a stage that broke ``rules``. It stays what it was; the points may not."""
    costly = [rule.call for rule in rules if rule.costs == Costs.POINTS]
    if not costly:
        return found
    names = " and ".join(f"`{call}`" for call in costly)
    said = f"It calls {names}, which this assignment does not allow, and gets no points."
    return replace(found, message=f"{found.message} {said}", evidence={**found.evidence, "forbidden": costly})


def mentioned(rules: Sequence[Rule], code: str) -> list[str]:
    """The calls that Python code names, imports or reads as an attribute; none in what is no Python."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.name.rpartition(".")[2])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # As ``getattr`` would be given it.
            names.add(node.value)
    return [rule.call for rule in rules if rule.call in names]
