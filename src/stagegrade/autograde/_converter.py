"""nbgrader's converter, for a program that starts it and wants to know what came of each submission."""

from typing import Any

from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException


class TellingAutograde(Autograde):
    """Grades as ``Autograde`` does, and keeps in ``failures`` what nbgrader only logs: why one could not be graded."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.failures: dict[str, Exception] = {}
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
