"""An assignment's own notebook: which name each stage is handed over under, and what its right cells define."""

import json
import re
from collections.abc import Mapping
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from types import MappingProxyType
from typing import Any

from stagegrade.autograde import carried_source

_HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS\n.*?^### END HIDDEN TESTS\n?", re.MULTILINE | re.DOTALL)
_HANDED = re.compile(r"stageprobe\.answer\(\"\w+\.(\w+)\", (\w+)\)")


@cache
def handed(assignment: str) -> Mapping[str, str]:
    """The name of the function or class that the notebook's hidden tests hand over, by stage."""
    return MappingProxyType(dict(_HANDED.findall("\n".join(_cells(assignment)))))


@cache
def right_notebook(assignment: str) -> Mapping[str, Any]:
    """What is defined after the source notebook, solutions and all, was run."""
    names: dict[str, Any] = {"__name__": assignment}
    with redirect_stdout(StringIO()):
        for cell in _cells(assignment):
            exec(compile(_HIDDEN.sub("", cell), f"<{assignment}>", "exec"), names)  # noqa: S102 - this kit's own
    return MappingProxyType(names)


def _cells(assignment: str) -> list[str]:
    notebook = json.loads((carried_source() / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
