"""``stagegrade diagnose``: one notebook, no gradebook needed."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from traitlets import Enum, Unicode, default

from stagegrade.apps._app import COURSE_DIR, DONE, UNGRADED, UNPROTECTED, StageApp
from stagegrade.autograde import (
    CONFIG_NAME,
    NotDiagnosed,
    StageExecute,
    SubmissionLimits,
    UnknownAssignment,
    belonging,
    diagnose,
)
from stagegrade.report import explanation
from stagegrade.report.exports import results


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False)


_FORMS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "text": explanation,
    "json": _json,
    "gradescope": lambda record: _json(results(record)),
}


class DiagnoseApp(StageApp):
    name = "stagegrade-diagnose"
    ungraded = "it could not be graded whole"
    description = "Grade one notebook made from a release, with or without a course around it."
    operands = "NOTEBOOK"
    examples = """
        Say in words what is right and what is not:

            stagegrade diagnose submitted/STUDENT/query_key_value/query_key_value.ipynb

        The same as one JSON object:

            stagegrade diagnose query_key_value.ipynb --json

        In an autograder of Gradescope's, the results that it looks for:

            stagegrade diagnose query_key_value.ipynb --gradescope > /autograder/results/results.json
    """

    assignment = Unicode("", help="The assignment, where the notebook's name and cells do not tell.").tag(
        config=True
    )
    form = Enum(list(_FORMS), "text", help=f"What is printed: {', '.join(_FORMS)}.").tag(config=True)

    aliases = {**StageApp.aliases, **COURSE_DIR, "assignment": "DiagnoseApp.assignment"}
    flags = {
        **StageApp.flags,
        **UNPROTECTED,
        "json": ({"DiagnoseApp": {"form": "json"}}, "Print one JSON object."),
        "gradescope": (
            {"DiagnoseApp": {"form": "gradescope"}},
            "Print the results.json of an autograder of Gradescope's.",
        ),
    }

    @default("classes")
    def _classes_default(self) -> Any:
        return [*super()._classes_default(), StageExecute, SubmissionLimits]

    def _course_named(self) -> Path | None:
        named = self.named_course()
        if named is not None and not (named / CONFIG_NAME).is_file():
            self.refuse(f"there is no {CONFIG_NAME} in {named}, which makes a folder a course")
        return named

    def start(self) -> None:
        super().start()
        (name,) = self.arguments()
        if {"--json", "--gradescope"} <= set(self.argv):
            self.refuse("--json and --gradescope are two forms of the same; choose one")
        path = Path(name)
        if not path.is_file():
            self.refuse(
                f"{name} is a folder; name a notebook in it" if path.is_dir() else f"there is no file {name}"
            )
        try:
            of = belonging(path, self.assignment or None, course=self._course_named())
            record = diagnose(path, of, self)
        except UnknownAssignment as error:
            self.refuse(str(error))
        except NotDiagnosed as error:
            print(f"{self.command}: {error}", file=sys.stderr)
            sys.exit(UNGRADED)
        print(_FORMS[self.form](record))
        sys.exit(DONE if record["status"] == "graded" else UNGRADED)
