"""An assignment's own notebook: which name each stage is handed over under, and what its right cells define."""

import json
from collections.abc import Mapping
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from types import MappingProxyType
from typing import Any

from stagegrade.autograde import answers, carried_source, pipeline_and_stage, without_hidden


@cache
def handed(assignment: str) -> Mapping[str, str]:
    """The name of the function or class that the notebook's hidden tests hand over, by stage."""
    found = [one for cell in _cells(assignment) for one in answers(cell)]
    return MappingProxyType({pipeline_and_stage(stage)[1]: name for stage, name in found})


@cache
def right_notebook(assignment: str) -> Mapping[str, Any]:
    """What is defined after the source notebook, solutions and all, was run."""
    names: dict[str, Any] = {"__name__": assignment}
    with redirect_stdout(StringIO()):
        for cell in _cells(assignment):
            visible, _ = without_hidden(cell)
            exec(compile(visible, f"<{assignment}>", "exec"), names)  # noqa: S102 - this kit's own
    return MappingProxyType(names)


def _cells(assignment: str) -> list[str]:
    notebook = json.loads((carried_source() / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
