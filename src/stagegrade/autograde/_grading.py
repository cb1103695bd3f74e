"""The judge's record of one notebook: which grade cell is being run, what it handed over, what was decided."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stagegrade.autograde._source import SourceCell, SourceNotebook
from stagegrade.diagnosis import StageVerdict, Verdict, first_divergence
from stagegrade.jail import CellRun, Ended, Jail
from stagegrade.judge import Judge, Offer
from stagegrade.pipelines import find
from stageprobe._wire import WireError

SCHEMA = 1
MAX_FLAGS = 50


def seed_of(course: str, assignment: str, student: str) -> int:
    """The seed of a student's cases: neighbours differ, and a regrade has the same."""
    digest = hashlib.sha256(f"{course}\0{assignment}\0{student}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


class Grading:
    """Verdicts for the stages of one notebook, each bound to the grade cell that names it in the gradebook."""

    def __init__(
        self, source: SourceNotebook, *, seed: int, pipeline_folders: Sequence[Path], call_timeout: float
    ) -> None:
        self._source = source
        self._judges = {
            name: Judge(find(name, pipeline_folders), seed, call_timeout) for name in source.pipelines
        }
        self._cell: SourceCell | None = None
        self._heard: dict[str, StageVerdict] = {}
        self._troubles: list[tuple[str, str]] = []
        self._plain: dict[str, float | None] = {}
        self.flags: list[str] = []

    def enter(self, cell: SourceCell | None) -> None:
        """A cell is about to run; ``None`` for one that is not in the release."""
        self._cell = cell

    def on_offer(self, header: dict[str, Any], jail: Jail) -> None:
        """Hear an offer if the cell that is running is the one to make it; turn any other away."""
        offer = Offer.read(header)
        stage = offer.stage
        cell = self._cell
        if cell is None or stage not in cell.stages or stage in self._heard:
            where = cell.grade_id if cell else "a cell of the student's own"
            self._flag(f"answer({stage[:80]!r}, …) was called from {where}, which is not its test")
        else:
            self._heard[stage] = self._judge(stage).hear(offer, jail)
        try:
            jail.send({"do": "close"})
        except WireError:
            jail.end()

    def _judge(self, stage: str) -> Judge:
        return self._judges[stage.rpartition(".")[0]]

    def left(self, label: str, run: CellRun | None) -> None:
        """The cell called ``label`` has run, or the process was gone before it (``None``)."""
        if self._cell is None or not self._cell.stages:
            self._note_trouble(label, run)
            return
        for stage in self._cell.stages:
            if stage not in self._heard:
                self._heard[stage] = self._absent(stage, run)

    def _note_trouble(self, label: str, run: CellRun | None) -> None:
        if run is None:
            return
        if run.ended in (Ended.DIED, Ended.KILLED, Ended.TIMED_OUT):
            why = {
                Ended.DIED: "ended the notebook's process",
                Ended.KILLED: "ran past its time, would not be interrupted, and was ended",
                Ended.TIMED_OUT: "ran past its time and was interrupted",
            }[run.ended]
            self._troubles.append((label, why))
        elif run.reply and run.reply.get("status") == "error":
            said = f"{run.reply.get('ename')}: {run.reply.get('evalue')}"
            self._troubles.append((label, f"raised {said[:300]}"))

    def _absent(self, stage: str, run: CellRun | None) -> StageVerdict:
        """The verdict for a stage whose cell handed nothing over."""
        file = f"{self._source.name}.ipynb"
        before = (
            f" In {file}, cell {self._troubles[-1][0]} {self._troubles[-1][1]}." if self._troubles else ""
        )
        verdict, message = Verdict.MISSING, "Nothing was handed over for this stage."
        if run is None:
            verdict, message = Verdict.NOT_REACHED, "Not reached: the notebook's process had ended before."
        elif run.ended in (Ended.TIMED_OUT, Ended.KILLED):
            verdict, message = (
                Verdict.TIMED_OUT,
                "The test ran out of time before this stage was handed over.",
            )
        elif run.ended == Ended.DIED:
            verdict, message = Verdict.LOST, "The notebook's process ended in this stage's test."
        elif run.reply and run.reply.get("status") == "error":
            said = f"{run.reply.get('ename')}: {run.reply.get('evalue')}"[:300]
            message = f"It was not there to be tested: {said}."
            if run.reply.get("ename") == "NameError" and not before:
                message += " Is its cell there, and was the name changed?"
        return self._judge(stage).absent(stage.rpartition(".")[2], verdict, message + before)

    def _flag(self, text: str) -> None:
        if text not in self.flags and len(self.flags) < MAX_FLAGS:
            self.flags.append(text)

    def add_flags(self, flags: Sequence[str]) -> None:
        for flag in flags:
            self._flag(flag)

    def plain_score(self, grade_id: str, score: float | None) -> None:
        """A grade cell that names no stage got ``score`` as nbgrader determines it; ``None`` waits for a person."""
        self._plain[grade_id] = score

    def score(self, cell: SourceCell) -> float | None:
        """The points of a grade cell: its share for each stage that is right."""
        if not cell.stages:
            return self._plain.get(cell.grade_id)
        passed = sum(1 for s in cell.stages if s in self._heard and self._heard[s].passed)
        return (cell.points or 0.0) * passed / len(cell.stages)

    def record(self, status: str = "graded", reason: str | None = None) -> dict[str, Any]:
        """What is kept of the grading and printed by ``diagnose --json``."""
        graded = [cell for cell in self._source.cells if cell.grade]
        for cell in graded:
            for stage in cell.stages:
                if stage not in self._heard:
                    self._heard[stage] = self._judge(stage).absent(
                        stage.rpartition(".")[2], Verdict.NOT_REACHED, reason or "Not reached."
                    )
        rows = [self._row(cell, stage) for cell in graded for stage in cell.stages]
        order = {stage: index for index, stage in enumerate(self._pipeline_order())}
        rows.sort(key=lambda row: order[row["stage"]])
        verdicts = [self._heard[stage] for stage in self._pipeline_order() if stage in self._heard]
        # Of what could not be read, no stage can be said to diverge.
        first = None if status == "unreadable" else first_divergence(verdicts)
        several = len(self._judges) > 1
        for row in rows:
            if not several:
                row["stage"] = row["stage"].rpartition(".")[2]
        return {
            "schema": SCHEMA,
            "assignment": self._source.assignment,
            "notebook": f"{self._source.name}.ipynb",
            "status": status,
            "score": sum(self.score(cell) or 0.0 for cell in graded),
            "max_score": sum(cell.points or 0.0 for cell in graded),
            "first_divergence": first,
            "checkpoint": self._checkpoint(first),
            "stages": rows,
            "flags": list(self.flags),
        }

    def _pipeline_order(self) -> list[str]:
        return [f"{name}.{s.name}" for name, judge in self._judges.items() for s in judge.pipeline.asked]

    def _row(self, cell: SourceCell, stage: str) -> dict[str, Any]:
        found = self._heard[stage]
        share = (cell.points or 0.0) / len(cell.stages)
        return {
            "stage": stage,
            "verdict": str(found.verdict),
            "carried": found.carried,
            "points": share if found.passed else 0.0,
            "max_points": share,
            "mistake": found.mistake,
            "message": found.message,
            "evidence": dict(found.evidence),
            "case": dict(found.case) if found.case else None,
        }

    def _checkpoint(self, first: str | None) -> str | None:
        for judge in self._judges.values():
            for found in judge.verdicts:
                if found.stage == first:
                    own: str | None = found.evidence.get("checkpoint")
                    return own or judge.pipeline.stage(found.stage).checkpoint
        return None
