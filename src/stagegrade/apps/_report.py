"""``stagegrade report``: the cohort as a page, or as data."""

import json
import sys
from pathlib import Path
from typing import Any

from traitlets import Bool, Unicode

from stagegrade.apps._app import COURSE_ALIASES, StageApp
from stagegrade.autograde import NotOverwritten, StageExport, cohort, require_free
from stagegrade.report import report_csv, report_data, report_page


class ReportApp(StageApp):
    name = "stagegrade-report"
    description = "Show how a class did in an assignment: a page that opens offline, or its data."
    operands = "ASSIGNMENT"
    examples = """
        The page, reports/query_key_value.html:

            stagegrade report query_key_value

        The same without anybody's name, to show in class:

            stagegrade report query_key_value --anonymous --output monday.html

        A line a student, for a spreadsheet:

            stagegrade report query_key_value --csv > query_key_value.csv
    """

    output = Unicode("", help="Where to write; else reports/ASSIGNMENT.html, and data to stdout.").tag(
        config=True
    )
    as_csv = Bool(False, help="A line a student as CSV instead of the page.").tag(config=True)
    as_json = Bool(False, help="Figures and submissions as one JSON object instead of the page.").tag(
        config=True
    )
    anonymous = Bool(False, help="Number the students instead of naming them.").tag(config=True)

    aliases = {**StageApp.aliases, **COURSE_ALIASES, "output": "ReportApp.output"}
    flags: dict[Any, Any] = {
        **StageApp.flags,
        "csv": ({"ReportApp": {"as_csv": True}}, "Print a line a student as CSV."),
        "json": ({"ReportApp": {"as_json": True}}, "Print one JSON object."),
        "anonymous": ({"ReportApp": {"anonymous": True}}, "Number the students instead of naming them."),
    }

    def start(self) -> None:
        super().start()
        (assignment,) = self.arguments()
        course = self.course()
        if self.as_csv and self.as_json:
            self.refuse("--csv and --json are two forms of the same; choose one")
        self.require_assignment(course, assignment)
        own = Path(course.root) / "reports" / f"{assignment}.html"
        page = self._place() if self.output else own
        shown = cohort(course, assignment, page)
        if not shown.submissions:
            self.refuse(f"nobody's {assignment} is graded yet: stagegrade autograde {assignment}")
        if self.anonymous:
            shown = shown.anonymous()
        if self.as_csv:
            self._write(report_csv(shown), page)
        elif self.as_json:
            self._write(json.dumps(report_data(shown), indent=2, ensure_ascii=False) + "\n", page)
        else:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(report_page(shown), encoding="utf-8")
            print(page)

    def _place(self) -> Path:
        page = self.place_for(self.output)
        suffix = ".csv" if self.as_csv else ".json" if self.as_json else ".html"
        try:
            require_free(page, suffix, self.course(), StageExport(parent=self).roster)
        except NotOverwritten as error:
            self.refuse(str(error))
        return page

    def _write(self, text: str, path: Path) -> None:
        """Data goes to stdout unless a place is named for it, byte for byte as it is."""
        if self.output:
            path.write_bytes(text.encode())
        else:
            sys.stdout.buffer.write(text.encode())
