"""The judge's record of one notebook: which grade cell is being run, what it handed over, what was decided."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stagegrade.autograde._controls import without_controls
from stagegrade.autograde._limits import bound_met, told, verdict_of
from stagegrade.autograde._rules import Configured, named_in, rules_of
from stagegrade.autograde._source import SourceCell, SourceNotebook, pipeline_and_stage
from stagegrade.autograde._warming import UNPROTECTED
from stagegrade.autograde._where import placed
from stagegrade.diagnosis import StageVerdict, Verdict, first_divergence
from stagegrade.jail import CellRun, Ended, Jail, Limits, Walls
from stagegrade.judge import Judge, Offer
from stagegrade.pipelines import find
from stageprobe._wire import WireError

SCHEMA = 1
MAX_FLAGS = 50
# What IPython calls a cell's file, where Python names it and the line.
_CELL_FILE = re.compile(r" \((?:\d+\.py|<ipython-input[^>]*>), (line \d+)\)$")
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")


def seed_of(course: str, assignment: str, student: str) -> int:
    """The seed of a student's cases: neighbours differ, and a regrade has the same."""
    digest = hashlib.sha256(f"{course}\0{assignment}\0{student}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


@dataclass(frozen=True)
class _Trouble:
    """A cell that did not run to its end, and why. ``source`` is the student's."""

    cell: str
    why: str
    source: str
    ended: bool
    """Whether the notebook's process ended by it."""

    def concerns(self, name: str) -> bool:
        return re.search(rf"\b{re.escape(name)}\b", self.source) is not None


class Grading:
    """Verdicts for the stages of one notebook, each bound to the grade cell that names it in the gradebook."""

    def __init__(
        self,
        source: SourceNotebook,
        *,
        seed: int,
        pipeline_folders: Sequence[Path],
        call_timeout: float,
        rules: Configured | None = None,
    ) -> None:
        self._source = source
        self._judges: dict[str, Judge] = {}
        for name in source.pipelines:
            pipeline = find(name, pipeline_folders)
            self._judges[name] = Judge(pipeline, seed, call_timeout, rules_of(pipeline, rules or {}))
        self._cell: SourceCell | None = None
        self._label, self._code = "", ""
        self._labels: dict[str, str] = {}
        self._heard: dict[str, StageVerdict] = {}
        # What was handed over and did not return in time, and what the rest of a cell is told of it.
        self._endless: dict[int, str] = {}
        self._troubles: list[_Trouble] = []
        self._plain: dict[str, float | None] = {}
        self._walls: Walls | None = None
        self._limits = Limits()
        self._replaced: list[str] = []
        self.flags: list[str] = []

    def ran_behind(self, walls: Walls, limits: Limits) -> None:
        """What stood around the submission, and what it might use."""
        self._walls, self._limits = walls, limits
        if walls == Walls.NONE:
            self._flag(UNPROTECTED)

    def enter(self, cell: SourceCell | None, number: int, code: str) -> None:
        """A cell is about to run, the notebook's ``number``-th; ``None`` for one that is not in the release."""
        self._cell = cell
        self._label, self._code = cell.grade_id if cell else str(number), code
        if cell is None or not cell.locked:
            rules = {rule.call: rule for judge in self._judges.values() for rule in judge.rules}
            for call in named_in(code, list(rules.values())):
                self._flag(f"{call} stands in the text of cell {self._label}")

    def on_offer(self, header: dict[str, Any], jail: Jail) -> None:
        """Hear an offer if the cell that is running is the one to make it; turn any other away."""
        offer = Offer.read(header)
        stage = offer.stage
        cell = self._cell
        stopped = None
        if cell is None or stage not in cell.stages or stage in self._heard:
            where = cell.grade_id if cell else "a cell of the student's own"
            self._flag(f"answer({stage[:80]!r}, …) was called from {where}, which is not its test")
        else:
            found = self._limited(self._judge(stage).hear(offer, jail), jail)
            self.add_flags(self._judge(stage).flags)
            self._heard[stage] = self._placed(found, str(header.get("cell"))[:100])
            if found.verdict == Verdict.TIMED_OUT:
                self._endless[offer.identity] = found.message
            stopped = self._endless.get(offer.identity)
        try:
            jail.send({"do": "close", "stopped": stopped})
        except WireError:
            jail.end()

    def _limited(self, found: StageVerdict, jail: Jail) -> StageVerdict:
        """The verdict, with the bound that ended the process or made the code raise, where one did."""
        if jail.limit is not None:
            message = f"While it was tested it {told(jail.limit, self._limits)}."
            return replace(found, verdict=verdict_of(jail.limit), message=message)
        if found.verdict in (Verdict.RAISED, Verdict.OUT_OF_MEMORY):
            met = bound_met(str(found.evidence.get("error")), found.message, self._limits)
            if met:
                said = found.message if found.message.endswith((".", ")")) else f"{found.message}."
                return replace(found, message=f"{said} {met}")
        return found

    def _judge(self, stage: str) -> Judge:
        return self._judges[pipeline_and_stage(stage)[0]]

    def _placed(self, found: StageVerdict, cell: str = "") -> StageVerdict:
        return placed(found, cell or self._label, f"{self._source.name}.ipynb", self._labels)

    def left(self, run: CellRun | None) -> None:
        """The cell has run, or the process was gone before it (``None``)."""
        if run is not None and run.reply is not None:
            self._labels[f"In[{run.reply.get('execution_count')}]"] = self._label
        if self._cell is None or not self._cell.stages:
            self._note_trouble(run)
        else:
            for stage in self._cell.stages:
                if stage not in self._heard:
                    self._heard[stage] = self._absent(stage, run)
            if run is not None and run.ended.gone:
                self._note_trouble(run)
        self._note_replaced(run)
        if run is not None and run.broken:
            self._flag(f"in cell {self._label} its process broke the line to the judge: {run.broken}")
            # A report that somebody wrote there by hand is followed by the probe's own, which nobody asked for.
            self._disbelieve_reports("the line to its process was broken")

    def _note_replaced(self, run: CellRun | None) -> None:
        """What is not as it was before the notebook ran: a person should look, and a mere report is not believed."""
        new = [name for name in (run.replaced if run else ()) if name not in self._replaced]
        self._replaced += new
        if new:
            self._flag(f"after cell {self._label}: {', '.join(new)} is not as it was before the notebook ran")
        if self._replaced:
            self._disbelieve_reports(f"{', '.join(self._replaced)} was replaced")

    def _disbelieve_reports(self, why: str) -> None:
        """Take back what was passed in the current cell on the probe's word alone."""
        for stage in self._cell.stages if self._cell is not None else ():
            found = self._heard[stage]
            own = self._judge(stage).pipeline.stage(pipeline_and_stage(stage)[1])
            if own.of == "parameters" and found.passed:
                message = f"It cannot be told, because {why}."
                self._heard[stage] = replace(found, verdict=Verdict.MISSING, message=message)

    def _note_trouble(self, run: CellRun | None) -> None:
        if run is None:
            return
        said = ""
        if run.ended != Ended.DONE:
            said = told(run.ended, self._limits)
        elif run.reply and run.reply.get("status") == "error":
            said = f"raised {_said(run)}"
        if said:
            self._troubles.append(_Trouble(self._label, said, self._code, run.ended.gone))

    def _absent(self, stage: str, run: CellRun | None) -> StageVerdict:
        """The verdict for a stage whose cell handed nothing over."""
        troubles = self._troubles
        verdict, message = Verdict.MISSING, "Nothing was handed over for this stage."
        name = None
        if run is None:
            verdict, message = Verdict.NOT_REACHED, "Not reached: the notebook's process had ended before."
            troubles = [trouble for trouble in troubles if trouble.ended]
        elif run.ended != Ended.DONE:
            verdict = verdict_of(run.ended)
            message = f"Before this stage was handed over, its test {told(run.ended, self._limits)}."
        elif run.reply and run.reply.get("status") == "error":
            message = f"It was not there to be tested: {_said(run)}."
            name = _UNDEFINED.match(str(run.reply.get("evalue")))
            if name:
                troubles = [trouble for trouble in troubles if trouble.concerns(name[1])]
            if name and not troubles:
                message += " Is its cell there, and was the name changed?"
        judge, own = self._judge(stage), pipeline_and_stage(stage)[1]
        if not troubles:
            return self._placed(judge.absent(own, verdict, message))
        last = troubles[-1]
        at = self._source.cell(last.cell)
        # A test is not the student's to mend.
        theirs = at is None or not at.locked
        hint = {"hint": f"Mend cell {last.cell} first; then restart and run all cells."} if theirs else None
        if name:
            # The cause comes first, as a line that has room for no more than that shows it.
            message = f"Cell {last.cell} {last.why}. So `{name[1]}` was not there to be tested."
            return self._placed(judge.absent(own, verdict, message, hint), last.cell)
        message += f" In {self._source.name}.ipynb, cell {last.cell} {last.why}."
        return judge.absent(own, verdict, message, hint)

    def _flag(self, text: str) -> None:
        if text not in self.flags and len(self.flags) < MAX_FLAGS:
            self.flags.append(text)

    def add_flags(self, flags: Sequence[str]) -> None:
        for flag in flags:
            self._flag(flag)

    def plain(self, cell: SourceCell, score: float | None, doubt: str | None) -> None:
        """A grade cell that names no stage got ``score``; ``None`` waits for a person. ``doubt`` is for one to see."""
        self._plain[cell.grade_id] = score
        if doubt:
            self._flag(f"test {cell.grade_id}: {doubt}")

    def score(self, cell: SourceCell) -> float | None:
        """The points of a grade cell: its share for each stage that is right."""
        if not cell.stages:
            return self._plain.get(cell.grade_id)
        earned = sum(1 for s in cell.stages if s in self._heard and self._heard[s].earns)
        return (cell.points or 0.0) * earned / len(cell.stages)

    def record(self, status: str = "graded", reason: str | None = None) -> dict[str, Any]:
        """What is kept of the grading and printed by ``diagnose --json``."""
        graded = [cell for cell in self._source.cells if cell.grade]
        for cell in graded:
            for stage in cell.stages:
                if stage not in self._heard:
                    self._heard[stage] = self._judge(stage).absent(
                        pipeline_and_stage(stage)[1], Verdict.NOT_REACHED, reason or "Not reached."
                    )
        rows = [self._row(cell, stage) for cell in graded for stage in cell.stages]
        order = {stage: index for index, stage in enumerate(self._pipeline_order())}
        rows.sort(key=lambda row: order[row["stage"]])
        verdicts = [self._heard[stage] for stage in self._pipeline_order() if stage in self._heard]
        # Of what could not be read, no stage can be said to diverge.
        first = None if status == "unreadable" else first_divergence(verdicts)
        checkpoint = self._checkpoint(first)
        several = len(self._judges) > 1
        if several and first is not None:
            first = next(stage for stage in self._pipeline_order() if not self._heard_right(stage))
        for row in rows:
            if not several:
                row["stage"] = pipeline_and_stage(row["stage"])[1]
        made = {
            "schema": SCHEMA,
            "assignment": self._source.assignment,
            "notebook": f"{self._source.name}.ipynb",
            "status": status,
            "score": sum(self.score(cell) or 0.0 for cell in graded),
            "max_score": sum(cell.points or 0.0 for cell in graded),
            "first_divergence": first,
            "checkpoint": checkpoint,
            "stages": rows,
            "flags": list(self.flags),
            "walls": None if self._walls is None else str(self._walls),
        }
        # What a student's code says of itself ends on terminals too.
        harmless: dict[str, Any] = without_controls(made)
        return harmless

    def _heard_right(self, stage: str) -> bool:
        return stage not in self._heard or self._heard[stage].passed

    def _pipeline_order(self) -> list[str]:
        return [f"{name}.{s.name}" for name, judge in self._judges.items() for s in judge.pipeline.asked]

    def _row(self, cell: SourceCell, stage: str) -> dict[str, Any]:
        found = self._heard[stage]
        share = (cell.points or 0.0) / len(cell.stages)
        return {
            "stage": stage,
            "verdict": str(found.verdict),
            "carried": found.carried,
            "points": share if found.earns else 0.0,
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


def _said(run: CellRun) -> str:
    """The error that a cell ended with."""
    reply = run.reply or {}
    name = reply.get("ename")
    # What Python 3.13 calls it privately where the code stops in the middle; to a student it is what it always was.
    name = "SyntaxError" if name == "_IncompleteInputError" else name
    said = _CELL_FILE.sub(r", \1", str(reply.get("evalue")))
    return f"{name}: {said}"[:300]
