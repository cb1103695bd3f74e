"""A released notebook as the gradebook knows it: the cells a submission is held to, and the stages they test."""

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager
from nbgrader.api import Gradebook


@dataclass(frozen=True, kw_only=True)
class SourceCell:
    """A grade, solution, task or locked cell. ``source`` still has its hidden tests."""

    grade_id: str
    cell_type: str
    source: str
    checksum: str | None
    grade: bool
    solution: bool
    task: bool
    locked: bool
    points: float | None

    @cached_property
    def stages(self) -> tuple[str, ...]:
        """The full names of the stages that the cell hands over, such as ``query_key_value.scaling``."""
        if not self.grade or self.solution or self.cell_type != "code" or "answer" not in self.source:
            return ()
        return tuple(dict.fromkeys(answered(self.source)))

    def metadata(self) -> dict[str, Any]:
        """The nbgrader metadata of this cell in a notebook."""
        found: dict[str, Any] = {
            "grade": self.grade,
            "grade_id": self.grade_id,
            "locked": self.locked,
            "schema_version": 3,
            "solution": self.solution,
            "task": self.task,
            "cell_type": self.cell_type,
        }
        if self.points is not None:
            found["points"] = self.points
        if self.checksum is not None:
            found["checksum"] = self.checksum
        return found


@dataclass(frozen=True, kw_only=True)
class SourceNotebook:
    """One notebook of an assignment, its cells in the order of the source."""

    assignment: str
    name: str
    cells: tuple[SourceCell, ...]
    kernelspec: Mapping[str, Any] = field(default_factory=dict)

    def cell(self, grade_id: object) -> SourceCell | None:
        return self._by_id.get(grade_id) if isinstance(grade_id, str) else None

    @cached_property
    def _by_id(self) -> dict[str, SourceCell]:
        return {cell.grade_id: cell for cell in self.cells}

    @cached_property
    def pipelines(self) -> tuple[str, ...]:
        """The pipelines that its grade cells name, in order."""
        return tuple(dict.fromkeys(pipeline_and_stage(s)[0] for cell in self.cells for s in cell.stages))


def pipeline_and_stage(full: str) -> tuple[str, str]:
    """The two parts of a stage's full name, such as ``query_key_value.scaling``."""
    pipeline, _, stage = full.rpartition(".")
    return pipeline, stage


def grade_id(cell: Mapping[str, Any]) -> str:
    """The name of a notebook's cell in the gradebook, whatever its metadata are; empty where it has none."""
    nbgrader = cell.get("metadata", {}).get("nbgrader")
    found = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return found if isinstance(found, str) else ""


def source_notebook(gradebook: Gradebook, assignment: str, notebook: str) -> SourceNotebook:
    """Read a notebook's cells from the gradebook. Raises nbgrader's ``MissingEntry`` where it has none."""
    found = gradebook.find_notebook(notebook, assignment)
    points = {c.name: float(c.max_score) for c in [*found.grade_cells, *found.task_cells]}
    grades = {c.name for c in found.grade_cells}
    solutions = {c.name for c in found.solution_cells}
    tasks = {c.name for c in found.task_cells}
    return SourceNotebook(
        assignment=assignment,
        name=notebook,
        kernelspec=json.loads(str(found.kernelspec or "{}")) or {},
        cells=tuple(
            SourceCell(
                grade_id=cell.name,
                cell_type=cell.cell_type,
                source=cell.source or "",
                checksum=cell.checksum,
                grade=cell.name in grades,
                solution=cell.name in solutions,
                task=cell.name in tasks,
                locked=bool(cell.locked),
                points=points.get(cell.name),
            )
            for cell in found.source_cells
        ),
    )


def source_for(resources: Mapping[str, Any]) -> SourceNotebook:
    """The notebook that nbgrader's ``resources`` are about: as a batch gave it along, else from the gradebook."""
    names = resources["nbgrader"]
    given = names.get("source")
    if isinstance(given, SourceNotebook):
        return given
    with Gradebook(names["db_url"]) as gradebook:
        return source_notebook(gradebook, names["assignment"], names["notebook"])


def answered(source: str) -> list[str]:
    """The full names of the stages that a cell's code hands over."""
    return [stage for stage, _ in answers(source)]


def answers(source: str) -> list[tuple[str, str]]:
    """The stages that a cell's code hands over, by their full names, each with the code of what is handed over."""
    try:
        tree = ast.parse(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError):
        return []
    return [
        (node.args[0].value, ", ".join(map(ast.unparse, node.args[1:])))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (getattr(node.func, "id", None) == "answer" or getattr(node.func, "attr", None) == "answer")
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
        and "." in node.args[0].value
    ]
