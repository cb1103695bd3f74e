"""One assignment's submissions, as a report is drawn from them."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from stagegrade.report._verdicts import is_right, look_of, mistake_of


@dataclass(frozen=True, kw_only=True)
class Submission:
    """One student's work: the judge's record of it, and what the gradebook says."""

    student: str
    """The id; of an anonymous cohort a number."""
    record: Mapping[str, Any]
    """Of several notebooks the first's."""
    score: float
    """What counts: manual grades and extra credit included, late penalty taken off."""
    max_score: float
    name: str = ""
    late_penalty: float = 0.0
    waits: bool = False
    """Some part of it is yet to be graded by a person."""
    unreadable: tuple[str, ...] = ()
    """The notebooks that could not be read, and whose points nobody has settled by hand."""
    seconds: float | None = None
    """How long grading it took, where that was recorded."""
    feedback: str | None = None
    """Where the student's page is, relative to the report."""

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, Any]]:
        return {row["stage"]: row for row in self.record["stages"]}

    @property
    def first(self) -> str | None:
        """The first stage to diverge."""
        found: str | None = self.record["first_divergence"]
        return found

    @property
    def was_run(self) -> bool:
        """Whether its verdicts say something of the student's work, and not of a file or of the grader."""
        return bool(self.record["status"] == "graded")

    @cached_property
    def concerns(self) -> tuple[str, ...]:
        """Why a person should look at it."""
        return tuple(_concerns(self))


def _concerns(submission: Submission) -> Iterator[str]:
    record = submission.record
    for name in submission.unreadable:
        yield f"{name} could not be read"
    if record["status"] not in ("graded", "unreadable"):
        yield "the grader failed"
    if submission.waits:
        yield "a part waits to be graded by hand"
    if record["status"] == "unreadable" and record["notebook"] not in submission.unreadable:
        return  # Whoever settled it has seen what was handed in.
    for row in record["stages"]:
        if row["verdict"] in ("timed_out", "out_of_memory", "lost"):
            yield f"{row['stage']}: {look_of(row).title}"
    yield from record["flags"]


@dataclass(frozen=True, kw_only=True)
class Cohort:
    assignment: str
    submissions: Sequence[Submission]
    named: bool = True
    """Whether it says who anybody is."""

    @cached_property
    def stages(self) -> tuple[str, ...]:
        """In pipeline order."""
        return tuple(dict.fromkeys(stage for one in self.submissions for stage in one.rows))

    def anonymous(self) -> "Cohort":
        """The same without names: students are numbered in an order that tells nothing of who they are."""
        shuffled = sorted(
            self.submissions,
            key=lambda one: hashlib.sha256(f"{self.assignment}\0{one.student}".encode()).digest(),
        )
        width = len(str(len(shuffled)))
        return replace(
            self,
            named=False,
            submissions=tuple(
                replace(one, student=f"student {number:0{width}}", name="", feedback=None)
                for number, one in enumerate(shuffled, start=1)
            ),
        )


def cause_of(row: Mapping[str, Any]) -> str:
    """What went wrong in a stage, in a few words that many students may share; empty for a right stage."""
    evidence = row["evidence"] or {}
    if is_right(row):
        return ""
    mistake = mistake_of(row)
    if mistake:
        return mistake
    if row["verdict"] != "diverges":
        error = f": {evidence['error']}" if row["verdict"] == "raised" and "error" in evidence else ""
        return f"{look_of(row).title}{error}"
    if evidence.get("described"):
        return str(evidence["described"]).rstrip(".")
    return "not shown by anything" if evidence.get("confidence") == "unlocated" else "no known mistake"
