"""``stagegrade bench``: how fast this kit is, and how often it is right."""

import sys

from stagegrade.apps._app import WRONG_USE, StageApp
from stagegrade.apps._attribution import AttributionApp
from stagegrade.apps._throughput import ThroughputApp


class BenchApp(StageApp):
    name = "stagegrade-bench"
    description = "Measure this kit on this machine: how fast it is, and how often it is right."
    examples = """
            stagegrade bench throughput --submissions 50
            stagegrade bench attribution --samples 200 --pairs 200
    """
    operands = "WHAT"
    subcommands = {
        "throughput": (ThroughputApp, "Submissions a second, beside nbgrader alone."),
        "attribution": (
            AttributionApp,
            "How often the stage and the mistake that are named are the right ones.",
        ),
    }

    def start(self) -> None:
        super().start()
        for name, (_, purpose) in self.subcommands.items():
            print(f"    {self.command} {name:<12}{purpose}", file=sys.stderr)
        sys.exit(WRONG_USE)
