"""``stagegrade``: its subcommands, and what it says when none is given."""

import sys

from stagegrade import __version__
from stagegrade.apps._app import WRONG_USE, StageApp


class StageGradeApp(StageApp):
    name = "stagegrade"
    description = "Grade notebooks stage by stage, and say which stage diverges first, and why."
    version = __version__
    operands = "COMMAND"
    examples = """
        Make a course, grade an assignment, look at one submission:

            stagegrade new my-course
            stagegrade autograde query_key_value
            stagegrade explain query_key_value STUDENT
    """
    # By name, so that a command imports what it needs and no more.
    subcommands = {
        "new": (
            "stagegrade.apps._new.NewApp",
            "A fresh course: assignments, configuration, empty gradebook.",
        ),
        "check": (
            "stagegrade.apps._check.CheckApp",
            "What must hold of an assignment before it is released.",
        ),
        "autograde": (
            "stagegrade.apps._autograde.AutogradeApp",
            "Grade what was collected for an assignment.",
        ),
        "diagnose": ("stagegrade.apps._diagnose.DiagnoseApp", "Grade one notebook, no gradebook needed."),
        "explain": (
            "stagegrade.apps._explain.ExplainApp",
            "The verdict of a graded submission, and what shows it.",
        ),
        "export": (
            "stagegrade.apps._export.StageExportApp",
            "The grades of an assignment for an LMS, or as a table.",
        ),
        "report": (
            "stagegrade.apps._report.ReportApp",
            "How a class did: a page, or its data.",
        ),
        "bench": ("stagegrade.apps._bench.BenchApp", "How fast this kit is here, and how often it is right."),
        "doctor": (
            "stagegrade.apps._doctor.DoctorApp",
            "What this machine can do, and how to mend what it cannot.",
        ),
        "completion": (
            "stagegrade.apps._completion.CompletionApp",
            "What a shell needs to complete commands and names.",
        ),
    }

    def start(self) -> None:
        super().start()
        # Only reached where no subcommand was given, or one that is not known.
        for name, (_, purpose) in self.subcommands.items():
            print(f"    stagegrade {name:<12}{purpose}", file=sys.stderr)
        if self.extra_args:
            self.refuse(f"there is no command {self.extra_args[0]}; those above are all there are")
        print("Each tells its options, with an example: stagegrade COMMAND --help", file=sys.stderr)
        sys.exit(WRONG_USE)
