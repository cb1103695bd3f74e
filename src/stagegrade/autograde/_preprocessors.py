"""nbgrader preprocessors around the run: restoring a submission before it, keeping its scores after it."""

from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades

from stagegrade.autograde._folders import Folders
from stagegrade.autograde._marks import marks_of, save_marks
from stagegrade.autograde._origins import grounds_of, keep_origin, kept_of, make_table, origin_of
from stagegrade.autograde._restore import restore
from stagegrade.autograde._source import source_for


class RestoreCells(NbGraderPreprocessor):
    """Gives a submission back its released cells, in place of nbgrader's steps that stop at the first oddity."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        kept = nb.metadata.setdefault("stagegrade", NotebookNode())
        if kept.get("status") == "unreadable":
            # A blank one: of what is missing in it there is nothing to tell.
            return nb, resources
        flags = restore(nb, source_for(resources))
        kept["flags"] = [*kept.get("flags", []), *flags]
        for flag in flags:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], flag)
        return nb, resources


class SaveVerdicts(SaveAutoGrades):
    """Writes the judge's scores to the gradebook. What a cell printed has no say in a staged cell's score."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        if not resources.get("stagegrade"):
            # Not run, as was asked for: what its cells show is graded as nbgrader does.
            return super().preprocess(nb, resources)
        names = resources["nbgrader"]
        found = resources["stagegrade"]
        marks = marks_of(nb, found["scores"])
        with Gradebook(names["db_url"]) as gradebook:
            submitted: Any = gradebook.find_submission_notebook(
                names["notebook"], names["assignment"], names["student"]
            )
            connection = gradebook.db.connection()
            save_marks(connection, submitted.id, submitted.notebook_id, marks)
            converter = getattr(self.parent, "parent", None)
            if converter is not None:
                folders = Folders(converter, names["assignment"])
                make_table(connection)
                source = source_for(resources)
                origin = origin_of(folders, names["student"], source.name, grounds_of(folders, source))
                kept = kept_of(origin, found["record"]["status"], found["seconds"])
                keep_origin(connection, submitted.id, kept)
            gradebook.db.commit()
        return nb, resources
