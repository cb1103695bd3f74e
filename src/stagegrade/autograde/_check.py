"""Proves of an assignment, before its release, that it can be solved, gives nothing away, and catches mistakes."""

import json
import logging
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from traitlets.config import Configurable

from stagegrade.autograde._course import pipeline_folders
from stagegrade.autograde._grading import seed_of
from stagegrade.autograde._leaks import leaks
from stagegrade.autograde._records import read_record
from stagegrade.autograde._rehearsal import rehearse
from stagegrade.autograde._source import SourceNotebook, grade_id, pipeline_and_stage, source_notebook
from stagegrade.autograde._trial_course import Belonging, NotDiagnosed, TrialCourse, trial_course
from stagegrade.diagnosis import StageVerdict
from stagegrade.pipelines import BrokenPipeline, Mistake, NoSuchPipeline, Pipeline, find
from stagegrade.report import Finding, Proof

SOLUTION, BLANK = "the-solution", "the-blank"


def check(of: Belonging, parent: Configurable) -> list[Proof]:
    """What was proved; where the release cannot even be made, that alone."""
    said: list[str] = []
    try:
        with _heard(parent, said), trial_course(of, parent) as course:
            return _proofs(of, course)
    except NotDiagnosed as error:
        # What nbgrader logs first is the trouble; the rest says that there was one.
        what = textwrap.shorten(said[0], 200, placeholder=" …") if said else str(error)
        found = Finding(where=of.assignment, what=what, mend="Mend the source notebook, and check again.")
        return [Proof(title="The release can be made", measured="no", findings=(found,))]


@contextmanager
def _heard(parent: Configurable, said: list[str]) -> Iterator[None]:
    """Keep the errors that nbgrader logs: they say more than what it raises."""

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    listener = Listener(logging.ERROR)
    log: Any = parent.log  # type: ignore[attr-defined]
    log.addHandler(listener)
    try:
        yield
    finally:
        log.removeHandler(listener)


def _proofs(of: Belonging, course: TrialCourse) -> list[Proof]:
    sources = {path.stem: path for path in sorted(of.source.glob("*.ipynb"))}
    with Gradebook(course.coursedir.db_url) as gradebook:
        notebooks = [source_notebook(gradebook, of.assignment, name) for name in sources]
    folders = pipeline_folders(course.config, Path(course.coursedir.root))
    pipelines, asked = _asked(notebooks, folders)
    if asked.findings:
        return [asked]
    releases = {name: course.released(name) for name in sources}
    solved = _Graded(course, SOLUTION, course.grade(SOLUTION, sources))
    blank = _Graded(course, BLANK, course.grade(BLANK, releases))
    return [
        asked,
        _hides(sources, releases),
        _full_marks(solved),
        _checks_pass(solved),
        _no_marks(blank),
        told_apart(pipelines, seed_of(str(course.coursedir.course_id), of.assignment, SOLUTION)),
    ]


def _asked(notebooks: Sequence[SourceNotebook], folders: Sequence[Path]) -> tuple[list[Pipeline], Proof]:
    """Every stage is handed over once, in a cell that is worth points; an author may leave one out."""
    title = "Every stage that is asked for is tested once"
    cells = [(cell, stage) for notebook in notebooks for cell in notebook.cells for stage in cell.stages]
    try:
        names = dict.fromkeys(pipeline_and_stage(stage)[0] for _, stage in cells)
        pipelines = [find(name, folders) for name in names]
    except (NoSuchPipeline, BrokenPipeline) as error:
        mend = "Name the pipeline as its file is called, or mend that file."
        finding = Finding(where="the pipeline", what=str(error.args[0]), mend=mend)
        return [], Proof(title=title, measured="no", findings=(finding,))
    stages = [f"{pipeline.name}.{stage.name}" for pipeline in pipelines for stage in pipeline.asked]
    findings = []
    handed = [stage for _, stage in cells]
    for stage in stages:
        if handed.count(stage) > 1:
            mend = f'One hidden test should say stageprobe.answer("{stage}", …).'
            findings.append(Finding(where=stage, what="several cells hand it over", mend=mend))
    left_out = [stage for stage in stages if stage not in handed]
    notes = [f"left out, as no cell hands it over: {', '.join(left_out)}"] if left_out else []
    for cell, stage in cells:
        if stage not in stages:
            mend = f"The stages are {', '.join(stages)}."
            findings.append(Finding(where=cell.grade_id, what=f"there is no stage {stage}", mend=mend))
        if not cell.points:
            mend = "Give it points in nbgrader's toolbar (View, Create Assignment)."
            findings.append(Finding(where=cell.grade_id, what=f"{stage} is worth no points", mend=mend))
    if not cells:
        mend = "A hidden test hands a stage over: import stageprobe; stageprobe.answer(STAGE, function)."
        findings.append(Finding(where="the notebook", what="no cell hands a stage over", mend=mend))
    count = len(stages) - len(left_out)
    measured = f"{count} stage{'s' if count != 1 else ''}"
    return pipelines, Proof(title=title, measured=measured, findings=tuple(findings), notes=tuple(notes))


def _hides(sources: dict[str, Path], releases: dict[str, Path]) -> Proof:
    found = [
        leak
        for name, source in sources.items()
        for leak in leaks(json.loads(source.read_bytes()), json.loads(releases[name].read_bytes()))
    ]
    return Proof(
        title="The release holds no solution and no hidden test",
        measured=f"{len(releases)} notebook{'s' if len(releases) != 1 else ''}",
        findings=tuple(
            Finding(where=leak.cell, what=leak.what, mend=leak.mend) for leak in found if not leak.meant
        ),
        notes=tuple(f"{leak.cell}, text of your own: {leak.what}" for leak in found if leak.meant),
    )


class _Graded:
    """A trial submission after grading: its records, its cells, and the points of each of them."""

    def __init__(self, course: TrialCourse, student: str, notebooks: dict[str, Path]) -> None:
        self.rows = [
            row for path in notebooks.values() for row in (read_record(path) or {"stages": ()})["stages"]
        ]
        self.cells = [c for path in notebooks.values() for c in json.loads(path.read_bytes())["cells"]]
        self.points: dict[str, tuple[float | None, float]] = {}
        with Gradebook(course.coursedir.db_url) as gradebook:
            submission: Any = gradebook.find_submission(course.coursedir.assignment_id, student)
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    self.points[str(grade.name)] = (grade.auto_score, float(grade.max_score))

    @property
    def by_hand(self) -> float:
        return sum(most for given, most in self.points.values() if given is None)

    def errors(self) -> Iterator[tuple[str, str]]:
        """Each cell that raised, by its grade id or its place, with what it raised."""
        for number, cell in enumerate(self.cells, start=1):
            name = grade_id(cell) or f"cell {number}"
            for output in cell.get("outputs", ()):
                if output["output_type"] == "error":
                    yield name, f"{output['ename']}: {output['evalue']}"


def _full_marks(solved: _Graded) -> Proof:
    findings = [
        Finding(
            where=row["stage"],
            what=f"the solution is judged {row['verdict']}: {row['message']}",
            mend="Mend the solution in the source notebook, or the stage's reference in the pipeline.",
        )
        for row in solved.rows
        if row["points"] < row["max_points"]
    ]
    staged = sum(row["max_points"] for row in solved.rows)
    for name, (given, most) in solved.points.items():
        if given is not None and given < most and not findings:
            what = f"the solution gets {given:g} of {most:g} points"
            findings.append(
                Finding(where=name, what=what, mend="Run the notebook, and mend the cell's test.")
            )
    most = sum(most for given, most in solved.points.values() if given is not None)
    got = sum(given for given, _ in solved.points.values() if given is not None)
    notes = [f"{solved.by_hand:g} points are given by a person"] if solved.by_hand else []
    if staged < most:
        notes.append(f"{most - staged:g} points are for cells that hand no stage over")
    return Proof(
        title="The solution gets full marks",
        measured=f"{got:g} of {most:g} points",
        findings=tuple(findings),
        notes=tuple(notes),
    )


def _checks_pass(solved: _Graded) -> Proof:
    mend = "Run the notebook from its start in JupyterLab, and mend the solution or what the check expects."
    findings = tuple(Finding(where=name, what=what, mend=mend) for name, what in solved.errors())
    count = sum(1 for cell in solved.cells if cell["cell_type"] == "code")
    return Proof(
        title="Every cell runs, and the visible checks pass on the worked example",
        measured=f"{count} cells",
        findings=findings,
    )


def _no_marks(blank: _Graded) -> Proof:
    mend = "Put the hidden test before the visible check, and let the blank raise NotImplementedError."
    findings = tuple(
        Finding(where=name, what=f"the blank gets {given:g} of {most:g} points", mend=mend)
        for name, (given, most) in blank.points.items()
        if given
    )
    got = sum(given or 0.0 for given, _ in blank.points.values())
    return Proof(title="The blank gets no marks", measured=f"{got:g} points", findings=findings)


def told_apart(pipelines: Sequence[Pipeline], seed: int) -> Proof:
    """Every mistake, made by a student whose cases are drawn from ``seed``, is caught and named."""
    findings, together, raising, tried = [], [], 0, 0
    for pipeline in pipelines:
        for mistake in pipeline.mistakes:
            if mistake.remark:
                continue
            tried += 1
            verdicts = [found for found in rehearse(pipeline, mistake, seed) if not found.passed]
            others = _named_beside(verdicts, mistake)
            where = f"{mistake.stage}: {mistake.name}"
            if not verdicts:
                mend = "No case shows it. Take it from the pipeline, or draw inputs that tell it from the reference."
                findings.append(Finding(where=where, what="it gets full marks", mend=mend))
            elif others is None and any(found.verdict == "raised" for found in verdicts):
                raising += 1
            elif others is None:
                mend = (
                    "Take it from the pipeline, or mend its variant so that it computes what such code would."
                )
                findings.append(Finding(where=where, what=_taken_for(verdicts), mend=mend))
            elif others:
                together.append(frozenset({mistake.name, *others}))
    notes = [
        f"no case tells these apart, and students are told of all: {', '.join(sorted(names))}"
        for names in dict.fromkeys(together)
    ]
    if raising:
        notes.append(f"{raising} of them raise an error, which says for itself what is wrong")
    return Proof(
        title="Every mistake is caught and told apart",
        measured=f"{tried} mistake{'s' if tried != 1 else ''}",
        findings=tuple(findings),
        notes=tuple(notes),
    )


def _named_beside(verdicts: Sequence[StageVerdict], mistake: Mistake) -> list[str] | None:
    """The mistakes that are named beside this one, ``None`` where it is not named at all."""
    for found in verdicts:
        listed = [str(name).rpartition(": ")[2] for name in found.evidence.get("alternatives", ())]
        named = [found.mistake, *listed] if found.mistake else listed
        # Where several fit, the message names each of them.
        if mistake.name in named or (listed and mistake.name in found.message):
            return [name for name in named if name != mistake.name]
    return None


def _taken_for(verdicts: Sequence[StageVerdict]) -> str:
    found = verdicts[0]
    if found.mistake:
        return f"it is taken for {found.stage}: {found.mistake}"
    return f"it is caught in {found.stage}, and not named: {found.message}"
