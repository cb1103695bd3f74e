"""nbgrader preprocessors around the run: restoring a submission before it, keeping its scores after it."""

from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades

from stagegrade.autograde._restore import restore
from stagegrade.autograde._source import source_notebook


class RestoreCells(NbGraderPreprocessor):
    """Gives a submission back its released cells, in place of nbgrader's steps that stop at the first oddity."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            source = source_notebook(gradebook, names["assignment"], names["notebook"])
        kept = nb.metadata.setdefault("stagegrade", NotebookNode())
        if kept.get("status") == "unreadable":
            # A blank one: of what is missing in it there is nothing to tell.
            return nb, resources
        flags = restore(nb, source)
        kept["flags"] = [*kept.get("flags", []), *flags]
        for flag in flags:
            self.log.warning("%s: %s", names["student"], flag)
        return nb, resources


class SaveVerdicts(SaveAutoGrades):
    """Writes the judge's scores to the gradebook. What a cell printed has no say in a staged cell's score."""

    def _add_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        scores = resources["stagegrade"]["scores"]
        grade_id = cell.metadata["nbgrader"]["grade_id"]
        grade: Any = self.gradebook.find_grade(
            grade_id, self.notebook_id, self.assignment_id, self.student_id
        )
        grade.auto_score = scores[grade_id]
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        self.gradebook.db.commit()
