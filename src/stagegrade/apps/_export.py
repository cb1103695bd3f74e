"""``stagegrade export``: the grades of an assignment in the form that another system takes."""

import sys
from typing import Any

from nbgrader.api import Gradebook
from traitlets import Unicode, default

from stagegrade.apps._app import COURSE_ALIASES, DONE, UNGRADED, StageApp
from stagegrade.autograde import BrokenRoster, NotOverwritten, StageExport
from stagegrade.report.exports import FORMATS, NeedsPackage


def _formats(prefix: str, **_: object) -> list[str]:
    return [name for name in FORMATS if name.startswith(prefix)]


class StageExportApp(StageApp):
    name = "stagegrade-export"
    ungraded = (
        "a submission has no final score yet or could not be read, or somebody no id that the system knows"
    )
    description = "Write the grades of an assignment in the form that another system takes."
    operands = "ASSIGNMENT"
    examples = """
        For Canvas, with the name that the assignment has there:

            stagegrade export query_key_value --to canvas --item 'Week 2 (4711)' --output week-2.csv

        A table with a row for each stage of each submission:

            stagegrade export query_key_value --to stages --output stages.csv

        One results.json for each submission, as Gradescope's autograders leave it:

            stagegrade export query_key_value --to gradescope --output gradescope
    """

    to = Unicode("csv", help=f"The format, one of: {', '.join(FORMATS)}.").tag(
        config=True, argcompleter=_formats
    )
    output = Unicode(
        "", help="The file to write, or the folder of a file for each submission; else it goes to stdout."
    ).tag(config=True)
    item = Unicode("", help="What the assignment is called in the other system.").tag(config=True)

    aliases = {
        **StageApp.aliases,
        **COURSE_ALIASES,
        "to": "StageExportApp.to",
        "output": "StageExportApp.output",
        "item": "StageExportApp.item",
        "missing": "StageExport.missing",
        "roster": "StageExport.roster",
        "student": "CourseDirectory.student_id",
    }

    @default("classes")
    def _classes_default(self) -> Any:
        return [*super()._classes_default(), StageExport]

    def start(self) -> None:
        super().start()
        (assignment,) = self.arguments()
        course = self.course()
        if self.to not in FORMATS:
            self.refuse(f"there is no format {self.to}; there are {', '.join(FORMATS)}")
        plugin = StageExport(parent=self, format=self.to)
        if self.item:
            plugin.items = {assignment: self.item}
        if plugin.missing not in plugin.kind.missing:
            values = " or ".join(value or "nothing" for value in plugin.kind.missing)
            self.refuse(f"for no submission, {self.to} takes {values}, not {plugin.missing}")
        self.require_assignment(course, assignment)
        try:
            with Gradebook(course.db_url, course.course_id) as gradebook:
                chosen = plugin.grades(gradebook, [assignment])
            files = plugin.files(chosen)
        except BrokenRoster as error:
            self.refuse(str(error))
        except NeedsPackage as error:
            self.refuse(f"{error}. Install it: {error.mend}")
        if not chosen:
            self.refuse(f"no student is called {course.student_id}; the gradebook and the roster have none")
        self._write(plugin, files)
        for note in plugin.notes(chosen):
            print(note, file=sys.stderr)
        sys.exit(DONE if plugin.is_whole(chosen) else UNGRADED)

    def _write(self, plugin: StageExport, files: dict[str, bytes]) -> None:
        """Write the files, or to stdout the one that there is."""
        if self.output:
            self.place_for(self.output)
            try:
                placed = plugin.places(self.output, files)
            except NotOverwritten as error:
                self.refuse(str(error))
            for path, content in placed.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            print(
                f"Wrote {self.output}: {len(files)} files" if plugin.kind.each else f"Wrote {self.output}",
                file=sys.stderr,
            )
            return
        if len(files) > 1:
            self.refuse(
                f"{self.to} is a file for each submission: name a folder with --output, or one --student"
            )
        if not plugin.kind.is_text and sys.stdout.isatty():
            self.refuse(f"{self.to} is not text to look at: name a file with --output")
        for content in files.values():
            sys.stdout.buffer.write(content)
