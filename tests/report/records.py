"""Records to draw, as grading makes them."""

from typing import Any

STAGES = ("projection", "scores", "scaling", "softmax", "context")


def row(stage: str = "scaling", verdict: str = "correct", **changes: Any) -> dict[str, Any]:
    right = verdict == "correct"
    made = {
        "stage": stage,
        "verdict": verdict,
        "carried": False,
        "points": 2.0 if right else 0.0,
        "max_points": 2.0,
        "mistake": None,
        "message": "Right." if right else "Something is off here.",
        "evidence": {},
        "case": None,
    }
    return made | changes


def diverging(stage: str = "scaling", **evidence: Any) -> dict[str, Any]:
    """A row of a named mistake with its numbers."""
    return row(
        stage,
        "diverges",
        mistake="divides-by-d_k",
        message="The scores shrink too much. The root is missing. Evaluate the divisor for `d_k` of nine.",
        evidence={
            "expected": "[0.8984, 1.3098, 1.2806]",
            "got": "[0.6352, 1.3098, 0.9056]",
            "difference": "value",
            "detail": "2 of 3 entries differ, the most by 0.375 at index [2]",
            "hint": "Evaluate the divisor for `d_k` of nine.",
        }
        | evidence,
        case={"kind": "rectangular", "seed": 8},
    )


def record(*rows: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A whole notebook's record; without rows, one that is right throughout."""
    stages = list(rows) or [row(stage) for stage in STAGES]
    first = next((r["stage"] for r in stages if r["verdict"] != "correct"), None)
    made = {
        "schema": 1,
        "assignment": "query_key_value",
        "notebook": "query_key_value.ipynb",
        "status": "graded",
        "score": sum(r["points"] for r in stages),
        "max_score": sum(r["max_points"] for r in stages),
        "first_divergence": first,
        "checkpoint": "scaling step" if first == "scaling" else None,
        "stages": stages,
        "flags": [],
    }
    return made | changes


def broken(**evidence: Any) -> dict[str, Any]:
    """A record whose third stage diverges, and whose last carries it."""
    return record(
        row("projection"),
        row("scores"),
        diverging("scaling", **evidence),
        row("softmax", carried=True, message="Right for right inputs."),
        row("context", "raised", message="It raised ValueError: no (`return w @ v`)."),
    )
