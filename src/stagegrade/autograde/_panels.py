"""Puts the judge's panels under the grade cells of a notebook that has been graded."""

from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode, from_dict

from stagegrade.autograde._source import SourceNotebook, grade_id, pipeline_and_stage
from stagegrade.report import panel

KEY = "stagegrade"


def put_panels(notebook: NotebookNode, source: SourceNotebook, record: Mapping[str, Any]) -> None:
    """Above what each grade cell printed, a panel for each stage that it tests; any older panel goes.

    Panels show the whole pipeline, so they are drawn when every stage has its verdict. They are known again by
    their outputs' metadata.
    """
    rows = {row["stage"]: row for row in record["stages"]}
    for cell in notebook.cells:
        known = source.cell(grade_id(cell))
        if known is None or not known.stages or cell.cell_type != "code":
            continue
        found = [rows.get(stage) or rows[pipeline_and_stage(stage)[1]] for stage in known.stages]
        # Not by nbformat's maker, which holds each against the schema.
        shown = [
            from_dict(
                {
                    "output_type": "display_data",
                    "data": panel(row, record),
                    "metadata": {KEY: {"stage": row["stage"]}},
                }
            )
            for row in found
        ]
        cell.metadata[KEY] = {"stages": [row["stage"] for row in found]}
        cell.outputs = shown + without_panels(cell.outputs)


def without_panels(outputs: list[NotebookNode]) -> list[NotebookNode]:
    return [output for output in outputs if KEY not in output.get("metadata", {})]
