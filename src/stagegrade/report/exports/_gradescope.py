"""Gradescope: the results.json that an autograder leaves for one submission."""

import json
from collections.abc import Mapping
from typing import Any

from stagegrade.report._panel import panel
from stagegrade.report._verdicts import mistakes_in
from stagegrade.report.exports._grade import Grade, remark, where_to_look


def gradescope(grade: Grade) -> bytes:
    """A test for each stage, with the panel's text; ``grade.record`` must be there."""
    assert grade.record is not None
    found = results(grade.record) | {"output": remark(grade)}
    if grade.score is not None:
        # With a penalty and with the points that people gave, which the sum of the tests has not.
        found["score"] = grade.score
    return json.dumps(found, indent=2, ensure_ascii=False).encode()


def results(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as Gradescope's autograder results."""
    kept = ("assignment", "status", "first_divergence", "checkpoint", "flags")
    return {
        "score": record["score"],
        "output": where_to_look(record),
        "stdout_visibility": "hidden",
        "tests": [_test(number, row, record) for number, row in enumerate(record["stages"], start=1)],
        "extra_data": {key: record[key] for key in kept},
    }


def _test(number: int, row: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": row["stage"],
        "number": str(number),
        "score": row["points"],
        "max_score": row["max_points"],
        "status": "passed" if row["verdict"] == "correct" else "failed",
        "output": panel(row, record)["text/plain"],
        "output_format": "text",
        "tags": mistakes_in(row),
        "visibility": "visible",
        "extra_data": {"verdict": row["verdict"], "carried": row["carried"], "mistake": row["mistake"]},
    }
