"""``stagegrade autograde``: nbgrader's autograde, with progress and the cohort's table at the end."""

import sys
from typing import Any

from nbgrader.apps.autogradeapp import AutogradeApp as NbGraderAutogradeApp
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stagegrade.apps._app import DONE, UNGRADED, StageApp, console, needs_course
from stagegrade.autograde import records
from stagegrade.report import LEGEND, cohort_table, sentence_of


class _Counted(Autograde):
    """nbgrader's converter, telling a progress bar of each submission that it turns to."""

    def __init__(self, progress: Progress, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._progress = progress
        self._task = progress.add_task("grading", total=None)

    def convert_notebooks(self) -> None:
        self._progress.update(self._task, total=len(self.assignments))
        super().convert_notebooks()
        self._progress.update(self._task, completed=len(self.assignments))

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        self._progress.update(self._task, description=student_id)
        try:
            return bool(super().init_destination(assignment_id, student_id))
        finally:
            self._progress.advance(self._task)


class AutogradeApp(StageApp):
    name = "stagegrade-autograde"
    description = "Grade what was collected for an assignment, stage by stage."
    flags = NbGraderAutogradeApp.flags
    examples = """
        Grade every submission of an assignment that is not graded yet:

            stagegrade autograde query_key_value

        Grade those of some students again:

            stagegrade autograde query_key_value --student 'keys-*' --force
    """

    def start(self) -> None:
        super().start()
        (assignment,) = self.arguments("ASSIGNMENT")
        course = needs_course(self)
        course.assignment_id = assignment
        failed = False
        talk = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=talk, transient=True, disable=not talk.is_terminal) as progress:
            try:
                _Counted(progress=progress, coursedir=course, parent=self).start()
            except NbGraderException:
                failed = True
        graded = records(course, assignment, course.student_id)
        out = console()
        if graded:
            out.print(cohort_table(assignment, graded))
            out.print(LEGEND, style="dim", markup=False)
            out.print(sentence_of(list(graded.values())))
        ungraded = [student for student, record in graded.items() if record["status"] != "graded"]
        for student in ungraded:
            print(f"{student}: {graded[student]['status']}", file=sys.stderr)
        sys.exit(UNGRADED if failed or ungraded else DONE)
