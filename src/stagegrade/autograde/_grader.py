"""Grades one submission: the course's configured preprocessors, one after another, with no gradebook at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.preprocessors import AssignLatePenalties, CheckCellMetadata

from stagegrade.autograde._exporter import submitted_notebook
from stagegrade.autograde._marks import Marks, marks_of
from stagegrade.autograde._preprocessors import SaveVerdicts
from stagegrade.autograde._source import SourceNotebook
from stagegrade.autograde._written import notebook_text

FAULT = "The grader failed; your instructor knows."


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What one student handed in for an assignment."""

    student: str
    folder: Path
    """As it was collected."""
    beside: Path
    """Holds the files that the notebooks are to find beside them, and no notebook."""
    notebooks: tuple[str, ...]
    flags: tuple[str, ...] = ()
    """Of what lies in the folder and is left alone."""


@dataclass(frozen=True, kw_only=True)
class GradedNotebook:
    """A notebook that was graded: its file's text, the judge's record of it, its marks, and how long it took."""

    name: str
    text: str
    record: Mapping[str, Any]
    marks: Marks
    seconds: float


class Grader:
    """Grades one submission after another, as an nbgrader ``converter`` of this course would.

    Equal to ``nbgrader autograde`` but for its writing: ``SaveVerdicts`` and ``AssignLatePenalties`` are left to
    whoever holds the gradebook, and the checks of metadata to ``RestoreCells``, which wrote it. Any other
    preprocessor that a course has configured runs in its place.
    """

    def __init__(self, converter: Any, sources: Mapping[str, SourceNotebook]) -> None:
        self._sources = sources
        self._db_url = converter.coursedir.db_url
        self._exporter = converter.exporter = converter.exporter_class(
            parent=converter, config=converter.config
        )
        self._sanitizing = [*self._configured(converter.sanitize_preprocessors)]
        self._grading = [*self._configured(converter.autograde_preprocessors)]

    def _configured(self, listed: Any) -> Iterator[Any]:
        self._exporter._preprocessors = []
        for named in listed:
            self._exporter.register_preprocessor(named)
        for made in self._exporter._preprocessors:
            if not isinstance(made, (AssignLatePenalties, CheckCellMetadata)):
                yield made

    def grade(self, submission: Submission) -> list[GradedNotebook]:
        """The notebooks of a submission, graded."""
        return [self._grade(submission, name) for name in submission.notebooks]

    def give_up(self, submission: Submission, why: str) -> list[GradedNotebook]:
        """The notebooks of a submission, not run, as a fault of the grader's own that waits for a person."""
        return [self._grade(submission, name, fault=why) for name in submission.notebooks]

    def _grade(self, submission: Submission, name: str, fault: str = "") -> GradedNotebook:
        source = self._sources[name]
        notebook = submitted_notebook(
            submission.folder / f"{name}.ipynb",
            source,
            list(self._sources),
            submission.flags,
            self._exporter,
        )
        if fault:
            notebook.metadata["stagegrade"] |= {"status": "grader_fault", "reason": FAULT}
            self._exporter.log.error("The grader failed on %s: %s", submission.student, fault)
        resources: dict[str, Any] = {
            "unique_key": name,
            "output_files_dir": f"{name}_files",
            "metadata": {"name": name, "path": str(submission.beside)},
            "nbgrader": {
                "student": submission.student,
                "assignment": source.assignment,
                "notebook": name,
                "db_url": self._db_url,
                "source": source,
            },
        }
        for step in self._sanitizing:
            notebook, resources = step(notebook, resources)
        marks: Marks | None = None
        for step in self._grading:
            if isinstance(step, SaveVerdicts):
                marks = marks_of(notebook, resources["stagegrade"]["scores"])
            else:
                notebook, resources = step(notebook, resources)
        found = resources["stagegrade"]
        marks = marks or marks_of(notebook, found["scores"])
        return GradedNotebook(
            name=name,
            text=notebook_text(notebook),
            record=found["record"],
            marks=marks,
            seconds=found["seconds"],
        )
