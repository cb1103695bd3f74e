"""Makes students' notebooks for tests: a release with cells of its own filled in."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_SOLUTION = re.compile(
    r"^([ \t]*)### BEGIN SOLUTION\n(.*?)^[ \t]*### END SOLUTION\n?", re.MULTILINE | re.DOTALL
)


def read(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def write(path: Path, notebook: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def grade_id(cell: Mapping[str, Any]) -> str:
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def text(cell: Mapping[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def solutions(source: Path) -> dict[str, str]:
    """The source's own solution cells, by grade_id, as a student who is right writes them."""
    return {
        grade_id(cell): _SOLUTION.sub(r"\2", text(cell))
        for cell in read(source)["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution") and cell["cell_type"] == "code"
    }


def filled(release: Path, cells: Mapping[str, str]) -> dict[str, Any]:
    """A release with the sources of some of its cells replaced, by grade_id."""
    notebook = read(release)
    known = {grade_id(cell) for cell in notebook["cells"]}
    assert set() == set(cells) - known, "no such cell in the release"
    for cell in notebook["cells"]:
        if grade_id(cell) in cells:
            cell["source"] = cells[grade_id(cell)]
    return notebook


def code_cell(source: str, name: str, **nbgrader: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": name,
        "source": source,
        "outputs": [],
        "execution_count": None,
        "metadata": {"nbgrader": _metadata(name, "code", nbgrader)} if nbgrader else {},
    }


def text_cell(source: str, name: str, **nbgrader: Any) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": name,
        "source": source,
        "metadata": {"nbgrader": _metadata(name, "markdown", nbgrader)} if nbgrader else {},
    }


def _metadata(name: str, kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    plain = {"grade": False, "solution": False, "task": False, "locked": False}
    return {"grade_id": name, "schema_version": 3, "cell_type": kind, **plain, **given}


def notebook(*cells: dict[str, Any]) -> dict[str, Any]:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": list(cells)}
