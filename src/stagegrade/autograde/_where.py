"""Where in a notebook the code of a stage stands, in words."""

from collections.abc import Mapping
from dataclasses import replace

from stagegrade.diagnosis import StageVerdict


def placed(
    found: StageVerdict, cell: str, file: str = "", labels: Mapping[str, str] | None = None
) -> StageVerdict:
    """The verdict, its message ending with the cell to open; one that is right has nothing to open.

    ``cell`` is where the stage's code stands; where an error has a place of its own, that one is told, with its
    line. ``labels`` gives the names that people know cells by, for IPython's own such as ``In[3]``. What was
    added stands in the evidence as ``where``.
    """
    if found.passed:
        return found
    raised_in = str(found.evidence.get("cell") or "")
    name = raised_in or cell
    name = (labels or {}).get(name, name)
    where = ", ".join(part for part in (file, f"cell {name}" if name else "") if part)
    if not where:
        return found
    line, code = found.evidence.get("line"), found.evidence.get("code")
    if raised_in and line:
        where += f", line {line}" + (f" (`{code}`)" if code else "")
    where = f"In {where}."
    said = found.message if found.message.endswith((".", "?", "!", ")")) else f"{found.message}."
    return replace(
        found, message=f"{said} {where}", evidence={**found.evidence, "cell": name, "where": where}
    )
