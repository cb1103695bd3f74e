"""Feedback as nbgrader's ``generate_feedback`` makes it, with this kit's page in place of a template."""

from typing import Any

from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import default

from stagegrade.autograde._gradebook import grades_of
from stagegrade.autograde._panels import KEY
from stagegrade.report import feedback_page


class GiveGrades(NbGraderPreprocessor):
    """Reads the gradebook for the page, in place of ``GetGrades``, which asks for each cell alone."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            grades = grades_of(gradebook, names["assignment"], names["notebook"], names["student"])
        resources[KEY] = {"grades": grades}
        return nb, resources


class FeedbackExporter(Exporter):
    """Gives nbgrader the page for each notebook that was graded."""

    output_mimetype = "text/html"

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(  # type: ignore[override]  # as nbconvert's own exporters of text do
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        prepared, found = super().from_notebook_node(nb, resources, **kw)
        names = found["nbgrader"]
        record = prepared.metadata.get(KEY)
        page = feedback_page(
            prepared,
            title=names["notebook"],
            student=names["student"],
            grades=found[KEY]["grades"],
            record=record if record and "stages" in record else None,
            ours=KEY,
        )
        return page, found
