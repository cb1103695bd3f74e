"""Cohorts to report on."""

from typing import Any

from stagegrade.report import Cohort, Submission
from tests.report.records import broken, diverging, record, row


def submission(student: str, judged: dict[str, Any], **changes: Any) -> Submission:
    made = {"score": judged["score"], "max_score": judged["max_score"]}
    return Submission(student=student, record=judged, **(made | changes))


def ends_early() -> dict[str, Any]:
    """Its process ended in the last stage."""
    return record(row("projection"), row("scores"), row("scaling"), row("softmax"), row("context", "lost"))


def cohort() -> Cohort:
    """Twelve students: right, with a mistake that is named, with one that is not, and some for a person to see."""
    others = [
        submission(
            "unnamed", record(row("projection"), row("scores", "diverges"), row("scaling"), row("softmax"))
        ),
        submission(
            "either",
            record(row("projection"), row("scores"), diverging(alternatives=["a", "b"]) | {"mistake": None}),
        ),
        submission("ends-early", ends_early()),
        submission(
            "garbled",
            record(
                row("projection", "not_reached"),
                status="unreadable",
                first_divergence=None,
                flags=["no JSON"],
            ),
            unreadable=("query_key_value.ipynb",),
        ),
        submission(
            "by-hand", record(), waits=True, name="Last, First", feedback="../feedback/by-hand/x.html"
        ),
        submission("late", record(), score=8.0, late_penalty=2.0),
    ]
    right = [submission(f"right-{n}", record()) for n in range(3)]
    wrong = [submission(f"divides-{n}", broken()) for n in range(3)]
    return Cohort(assignment="query_key_value", submissions=(*right, *wrong, *others))
