"""nbgrader's converter, for a program that starts it and wants to know what came of each submission."""

from collections.abc import Callable
from typing import Any

from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException


def _nothing(student: str) -> None:
    pass


class TellingAutograde(Autograde):
    """Grades as ``Autograde`` does, and keeps in ``failures`` what nbgrader only logs: why one could not be graded.

    ``turning_to`` is called with each student before the submission is graded or found graded already.
    """

    def __init__(self, turning_to: Callable[[str], None] = _nothing, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.failures: dict[str, Exception] = {}
        self._turning_to = turning_to
        self._student = ""

    def start(self) -> None:
        """Raises ``NbGraderException`` where nothing can be graded at all; what fails alone is in ``failures``."""
        try:
            super().start()
        except NbGraderException:
            if not self.failures:
                raise

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        self._student = student_id
        self._turning_to(student_id)
        return bool(super().init_destination(assignment_id, student_id))

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        try:
            super().init_assignment(assignment_id, student_id)
        except Exception as error:
            self.failures[student_id] = error
            raise

    def convert_single_notebook(self, notebook_filename: str) -> None:
        try:
            super().convert_single_notebook(notebook_filename)
        except Exception as error:
            self.failures[self._student] = error
            raise
