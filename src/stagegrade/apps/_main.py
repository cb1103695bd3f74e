"""``stagegrade``: its subcommands, and what it says when none is given."""

import sys

from nbgrader.apps.baseapp import NbGrader

from stagegrade import __version__
from stagegrade.apps._app import WRONG_USE, StageApp
from stagegrade.apps._autograde import AutogradeApp
from stagegrade.apps._diagnose import DiagnoseApp
from stagegrade.apps._doctor import DoctorApp
from stagegrade.apps._explain import ExplainApp
from stagegrade.apps._new import NewApp


class StageGradeApp(StageApp):
    name = "stagegrade"
    description = "Grade notebooks stage by stage, and say which stage diverges first, and why."
    version = __version__
    examples = """
        Make a course, grade an assignment, look at one submission:

            stagegrade new my-course
            stagegrade autograde query_key_value
            stagegrade explain query_key_value keys-two
    """
    subcommands = {
        "new": (NewApp, "A fresh course: assignments, configuration, empty gradebook."),
        "autograde": (AutogradeApp, "Grade what was collected for an assignment."),
        "diagnose": (DiagnoseApp, "Grade one notebook, no gradebook needed."),
        "explain": (ExplainApp, "The verdict of a graded submission, and what shows it."),
        "doctor": (DoctorApp, "What this machine can do, and how to mend what it cannot."),
    }

    def start(self) -> None:
        NbGrader.start(self)
        # Only reached where no subcommand was given, or one that is not known.
        self.print_subcommands()
        if self.extra_args:
            self.refuse(f"there is no subcommand {self.extra_args[0]}")
        sys.exit(WRONG_USE)
