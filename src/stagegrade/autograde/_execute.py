"""Runs a submission's cells in a jail, in place of nbgrader's own ``Execute``."""

import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbclient import NotebookClient
from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute
from traitlets import Bool, Dict, Float, List, Unicode

from stagegrade.autograde._controls import shown_lines, without_controls
from stagegrade.autograde._course import PIPELINES, pipeline_folders
from stagegrade.autograde._limits import SubmissionLimits, bound_met, told
from stagegrade.autograde._plain import canary, determined, doubts
from stagegrade.autograde._source import SourceCell, SourceNotebook, grade_id, source_for
from stagegrade.autograde._warming import warm_process_for
from stagegrade.jail import CellRun, Ended, Jail, Limits
from stagegrade.judge import CALL_TIMEOUT

if TYPE_CHECKING:
    from stagegrade.autograde._grading import Grading


class StageExecute(Execute):
    """nbgrader's ``Execute``, its options included, with a jail for a kernel and a judge beside it."""

    preload = List(
        Unicode(), help="Modules to import once, before submissions are forked, besides torch and IPython."
    ).tag(config=True)

    pipelines = List(
        Unicode(),
        list(PIPELINES),
        help="Folders with a course's own pipelines, relative to the course's root.",
    ).tag(config=True)

    visible = List(
        Unicode(),
        help="Folders that submissions may read besides Python's own, such as one with data for all.",
    ).tag(config=True)

    unprotected = Bool(
        False,
        help="Run submissions without walls. Taken from the command line only, and written into every grade.",
    ).tag(config=True)

    call_timeout = Float(
        CALL_TIMEOUT, help="Seconds that a student's function may take for one of the judge's questions."
    ).tag(config=True)

    rules = Dict(
        help="Calls that may not be used, by pipeline, and what each costs: 'flag', 'points', or 'nothing', which "
        "lifts a rule that the pipeline comes with. "
        "Such as {'self_attention': {'scaled_dot_product_attention': 'points', 'MultiheadAttention': 'flag'}}."
    ).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: Any = None, km: Any = None
    ) -> tuple[NotebookNode, dict[str, Any]]:
        # As nbclient's own preprocessor does: its state is made anew for each notebook.
        NotebookClient.__init__(self, nb, km)
        self._check_assign_resources(resources)
        source = source_for(resources)
        kept = nb.metadata.get("stagegrade", {})
        began = time.monotonic()
        record, scores = self._graded(nb, source, resources["nbgrader"]["student"], kept)
        # As the judge is, it is imported when a warm process has been started and not before.
        from stagegrade.autograde._panels import put_panels

        put_panels(nb, source, record)
        nb.metadata["stagegrade"] = from_dict(record)
        seconds = round(time.monotonic() - began, 3)
        resources["stagegrade"] = {"record": record, "scores": scores, "seconds": seconds}
        return nb, resources

    def _graded(
        self, nb: NotebookNode, source: SourceNotebook, student: str, kept: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float | None]]:
        """The record and each grade cell's score. A fault of the grader's own is retried once."""
        scored = [cell for cell in source.cells if cell.grade]
        if kept.get("status") in ("unreadable", "grader_fault"):
            # Found before anything could be run. What nobody could read has no points; our own fault waits.
            unreadable = kept["status"] == "unreadable"
            # Why it is so is a flag of the whole notebook's, and need not be said again of each stage.
            reason = f"Not reached: {source.name}.ipynb could not be read." if unreadable else kept["reason"]
            record = self._grading(source, student, kept).record(kept["status"], reason)
            none = 0.0 if unreadable else None
            return record, {cell.grade_id: none for cell in scored}
        for attempt in (1, 2):
            grading = self._grading(source, student, kept)
            try:
                self._run(nb, source, grading)
                return grading.record(), {cell.grade_id: grading.score(cell) for cell in scored}
            except Exception:  # whatever it is, the run goes on
                # Not the student's doing: no points are lost by it, and a person is told.
                self.log.exception("The grader failed on %s (try %d of 2)", student, attempt)
        fault = self._grading(source, student, kept).record(
            "grader_fault", "The grader failed; your instructor knows."
        )
        return fault, {cell.grade_id: None for cell in scored}

    @cached_property
    def _limits(self) -> Limits:
        return SubmissionLimits(parent=self).limits()

    def _grading(self, source: SourceNotebook, student: str, kept: Mapping[str, Any]) -> "Grading":
        from stagegrade.autograde._grading import Grading, seed_of

        grading = Grading(
            source,
            seed=seed_of(self._course_id(), source.assignment, student),
            pipeline_folders=pipeline_folders(self.config, self._root()),
            call_timeout=self.call_timeout,
            rules=self.rules,
        )
        grading.add_flags(kept.get("flags", []))
        return grading

    def _run(self, nb: NotebookNode, source: SourceNotebook, grading: "Grading") -> None:
        self.reset_execution_trackers()
        warm = warm_process_for(self, self._root())
        path = self.resources.get("metadata", {}).get("path")
        limits = self._limits
        jail = warm.fork(Path(path) if path else None, {"NBGRADER_EXECUTION": "autograde"}, limits)
        grading.ran_behind(warm.walls, limits)
        try:
            for index, cell in enumerate(nb.cells):
                known = source.cell(grade_id(cell))
                self._run_one(cell, index, known, jail, grading)
        finally:
            jail.end()
        nb.metadata["language_info"] = from_dict(_LANGUAGE)

    def _run_one(
        self, cell: NotebookNode, index: int, known: SourceCell | None, jail: Jail, grading: "Grading"
    ) -> None:
        if cell.cell_type != "code" or not cell.source.strip():
            if known is not None and known.grade and not known.stages:
                grading.plain(known, *determined(cell))
            return
        if known is None and self.skip_cells_with_tag in cell.metadata.get("tags", []):
            return
        cell.outputs, cell.execution_count = [], None
        self.clear_before_next_output = False
        self._updates: dict[str, dict[str, Any]] = {}
        plain = known is not None and known.grade and not known.stages
        test = plain and known is not None and not known.solution
        grading.enter(known, index + 1, cell.source)
        doubt = canary(jail, cell.source) if test else None
        run = (
            jail.run_cell(cell.source, cell.id, self._get_timeout(cell), grading.on_offer)
            if jail.alive
            else None
        )
        if test and run is not None:
            doubt = doubt or doubts(run, cell.source) or canary(jail, cell.source)
        if run is not None:
            self.code_cells_executed += 1
            cell.execution_count = self.code_cells_executed
            self._put_outputs(cell, index, run, jail)
        grading.left(run)
        if plain and known is not None:
            gone = test and (run is None or run.ended.gone)
            if doubt or gone:
                # A test whose process was gone, or ended in it, has shown nothing.
                grading.plain(known, 0.0, doubt and f"{doubt}, so what it shows is not believed")
            else:
                grading.plain(known, *determined(cell))

    def _put_outputs(self, cell: NotebookNode, index: int, run: CellRun, jail: Jail) -> None:
        for kind, shown in run.output.messages:
            message = {
                "msg_type": kind,
                "header": {"msg_type": kind},
                "parent_header": {"msg_id": cell.id},
                "content": _harmless(shown),
                "metadata": {},
                "buffers": [],
            }
            self.process_message(message, cell, index)
        for display_id, message in self._updates.items():
            super()._update_display_id(display_id, message)
        self._updates.clear()
        if run.output.cut:
            _say(cell, "more output than is kept was cut off here")
        if run.reply is not None:
            self.on_cell_executed(cell=cell, cell_index=index, execute_reply={"content": run.reply})
            met = bound_met(str(run.reply.get("ename")), str(run.reply.get("evalue")), jail.limits)
            if met and run.reply.get("status") == "error":
                _say(cell, met)
        if run.ended == Ended.TIMED_OUT:
            reply = {**self.error_on_timeout, "status": "error"}
            self.on_cell_executed(cell=cell, cell_index=index, execute_reply={"content": reply})
        elif run.ended != Ended.DONE:
            name, text = "DeadKernelError", f"This cell {told(run.ended, jail.limits)}."
            cell.outputs.append(
                new_output("error", ename=name, evalue=text, traceback=[f"\x1b[0;31m{name}\x1b[0m: {text}"])
            )

    def _update_display_id(self, display_id: str, msg: dict[str, Any]) -> None:
        # Each goes through all displays of that name that there are. What the last one says is what stays.
        self._updates[display_id] = msg

    def _converter(self) -> Any:
        """The nbgrader converter that this runs in: a preprocessor's parent is the exporter, whose is that."""
        return getattr(self.parent, "parent", None)

    def _course_id(self) -> str:
        coursedir = getattr(self._converter(), "coursedir", None)
        return str(coursedir.course_id) if coursedir is not None else ""

    def _root(self) -> Path:
        coursedir = getattr(self._converter(), "coursedir", None)
        return Path(coursedir.root) if coursedir is not None else Path.cwd()


_LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


def _harmless(content: Mapping[str, Any]) -> dict[str, Any]:
    """A message's content, whose text acts on no terminal that shows it."""
    made = dict(content)
    for key in ("text", "ename", "evalue", "traceback"):
        if key in made:
            made[key] = shown_lines(made[key])
    if "data" in made:
        data = made["data"].items()
        made["data"] = {kind: shown_lines(v) if kind.startswith("text/") else v for kind, v in data}
        made["metadata"] = without_controls(made["metadata"])
    return made


def _say(cell: NotebookNode, text: str) -> None:
    cell.outputs.append(new_output("stream", name="stdout", text=f"\n[{text}]\n"))
