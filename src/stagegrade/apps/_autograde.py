"""``stagegrade autograde``: nbgrader's autograde, with progress and the cohort's table at the end."""

import sys
from collections.abc import Mapping
from typing import Any

from nbgrader.apps.baseapp import nbgrader_aliases
from nbgrader.converters import Autograde, BaseConverter
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from traitlets import default

from stagegrade.apps._app import DONE, UNGRADED, UNPROTECTED, StageApp, console
from stagegrade.autograde import (
    StageExecute,
    SubmissionExporter,
    SubmissionLimits,
    TellingAutograde,
    gradebook_assignments,
    records,
    submitters,
)
from stagegrade.report import LEGEND, cohort_table, sentence_of

MAX_TOLD = 20


class AutogradeApp(StageApp):
    name = "stagegrade-autograde"
    description = "Grade what was collected for an assignment, stage by stage."
    operands = "ASSIGNMENT"
    examples = """
        Grade every submission of an assignment that is not graded yet, or was handed in anew:

            stagegrade autograde query_key_value

        Grade those of some students again:

            stagegrade autograde query_key_value --student 'keys-*' --force
    """

    aliases = nbgrader_aliases
    flags: dict[Any, Any] = {
        **StageApp.flags,
        **UNPROTECTED,
        ("f", "force"): ({"BaseConverter": {"force": True}}, "Grade again what is graded already."),
    }

    @default("classes")
    def _classes_default(self) -> Any:
        return [
            *super()._classes_default(),
            BaseConverter,
            Autograde,
            StageExecute,
            SubmissionLimits,
            SubmissionExporter,
        ]

    def start(self) -> None:
        super().start()
        course = self.course()
        if course.assignment_id and not self.extra_args:
            self.extra_args = [course.assignment_id]
        (assignment,) = self.arguments()
        course.assignment_id = assignment
        self._refuse_for_nothing(course)
        failures = self._grade(course)
        graded = records(course, assignment, course.student_id)
        out = console()
        if graded:
            out.print(cohort_table(assignment, graded))
            out.print(LEGEND, style="dim", markup=False)
            out.print(sentence_of(list(graded.values())))
        self._tell(graded, failures)
        ungraded = any(record["status"] != "graded" for record in graded.values())
        sys.exit(UNGRADED if failures or ungraded else DONE)

    def _refuse_for_nothing(self, course: CourseDirectory) -> None:
        assignment = course.assignment_id
        known = gradebook_assignments(course)
        if assignment not in known:
            self.refuse(
                f"the gradebook knows no assignment {assignment}; it has {', '.join(known) or 'none yet'}. "
                f"Where there is a source/{assignment}: nbgrader generate_assignment {assignment}"
            )
        if not submitters(course, assignment, course.student_id):
            pattern = course.format_path(course.submitted_directory, course.student_id, assignment)
            self.refuse(
                f"there is nothing to grade: no folder is {pattern}. "
                f"Collect first (nbgrader collect {assignment}, or zip_collect), or name another student."
            )

    def _grade(self, course: CourseDirectory) -> Mapping[str, Exception]:
        talk = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=talk, transient=True, disable=not talk.is_terminal) as progress:
            total = len(submitters(course, course.assignment_id, course.student_id))
            # One step behind: a submission counts when the next one's turn comes.
            task = progress.add_task("grading", total=total, completed=-1)
            converter = TellingAutograde(
                lambda student: progress.update(task, description=student, advance=1),
                coursedir=course,
                parent=self,
            )
            try:
                converter.start()
            except NbGraderException as error:
                self.refuse(str(error))
        return converter.failures

    def _tell(self, graded: Mapping[str, Mapping[str, Any]], failures: Mapping[str, Exception]) -> None:
        """What an instructor should look into, on stderr."""
        told = [
            f"{student}: not graded: {type(error).__name__}: {error} (the log of it: --student '{student}' --debug)"
            for student, error in failures.items()
        ]
        for student, record in graded.items():
            status = "" if record["status"] == "graded" else f"{record['status']}: "
            told += [f"{student}: {status}{flag}" for flag in record["flags"] or ([status] if status else [])]
        for line in told[:MAX_TOLD]:
            print(line, file=sys.stderr)
        if len(told) > MAX_TOLD:
            print(
                f"… and {len(told) - MAX_TOLD} lines like these; stagegrade explain tells each submission's.",
                file=sys.stderr,
            )
