"""``stagegrade bench throughput``: submissions a second, beside nbgrader alone."""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.table import Table
from traitlets import Bool, Integer

from stagegrade.apps._app import DONE, UNGRADED, StageApp, console
from stagegrade.apps._figures import figures
from stagegrade.autograde import cores
from stagegrade.bench._measure import CommandFailed, Cost
from stagegrade.bench._throughput import Grader, Throughput, throughput


class ThroughputApp(StageApp):
    name = "stagegrade-bench-throughput"
    ungraded = "a grader failed, or grades differ"
    description = "Time nbgrader alone and this kit on one made-up class, and compare their grades."
    examples = """
            stagegrade bench throughput
            stagegrade bench throughput --submissions 2000 --stock 20 --json
    """

    submissions = Integer(100, min=20, help="How many submissions the class hands in.").tag(config=True)
    stock = Integer(
        -1, help="How many of them nbgrader alone grades, at two seconds each; -1 for all, 0 for none."
    ).tag(config=True)
    jobs = Integer(0, min=0, help="How many this kit grades at a time; 0 for one a processor.").tag(
        config=True
    )
    as_json = Bool(False, help="Print one JSON object.").tag(config=True)

    aliases: dict[str, Any] = {
        **StageApp.aliases,
        "submissions": "ThroughputApp.submissions",
        "stock": "ThroughputApp.stock",
        "jobs": "ThroughputApp.jobs",
    }
    flags: dict[Any, Any] = {
        **StageApp.flags,
        "json": ({"ThroughputApp": {"as_json": True}}, "Print one JSON object."),
    }

    @property
    def command(self) -> str:
        return "stagegrade bench throughput"

    def start(self) -> None:
        super().start()
        self.arguments()
        self.heed_termination()
        stock = self.submissions if self.stock < 0 else min(self.stock, self.submissions)
        with tempfile.TemporaryDirectory(prefix="stagegrade-bench-") as root:
            try:
                found = throughput(
                    Path(root),
                    self.submissions,
                    stock,
                    self.jobs or cores(),
                    say=lambda said: print(said, file=sys.stderr, flush=True),
                )
            except CommandFailed as failed:
                print(f"{self.command}: {failed}", file=sys.stderr)
                sys.exit(UNGRADED)
        if self.as_json:
            print(json.dumps(found.as_json(), indent=2))
        else:
            console().print(_table(found))
            print("\n".join(_lines(found)))
        sys.exit(UNGRADED if found.grades_unequal else DONE)


def _table(found: Throughput) -> Table:
    heads = ("submissions", "cold, one", "the whole", "each, once running", "CPU each", "peak memory")
    graders = [
        *([("nbgrader", found.stock)] if found.stock else []),
        (f"stagegrade, {found.jobs} jobs", found.ours),
    ]
    return figures(heads, [(name, *_row(grader)) for name, grader in graders])


def _lines(found: Throughput) -> list[str]:
    lines = []
    if found.times_faster:
        lines.append(f"{found.times_faster:.1f} times as many submissions a second as nbgrader alone")
    lines.append(
        f"CPU: {found.times_floor:.2f} times the floor of {found.floor_cpu * 1000:.1f} ms, which is to fork a "
        "process that has torch and run the same cells"
    )
    if found.stock:
        lines.append(
            f"cold, one submission: {found.ours.cold.wall / found.stock.cold.wall:.2f} of nbgrader's time"
        )
    lines.append(
        f"feedback: {found.feedback.each_wall * 1000:.1f} ms a student" + _beside(found.feedback_times_faster)
    )
    if found.clustered:
        lines.append(
            f"{found.jobs} local Dask workers: {found.clustered.each_wall * 1000:.1f} ms a submission, "
            f"{found.dask_against_jobs:.2f} of the {found.clustered.jobs_each_wall * 1000:.1f} ms that "
            f"{found.jobs} jobs took in turn with them"
        )
    lines.append(f"processes left behind: {found.ours.whole.left}")
    lines.append(f"grades compared: {found.grades_compared}, unequal: {len(found.grades_unequal)}")
    return lines + list(found.grades_unequal[:20])


def _beside(times: float | None) -> str:
    return f", {times:.1f} times as fast as nbgrader alone" if times else ""


def _row(grader: Grader) -> tuple[str, ...]:
    whole: Cost = grader.whole
    return (
        str(grader.submissions),
        f"{grader.cold.wall:.1f} s",
        f"{whole.wall:.1f} s",
        f"{grader.each_wall * 1000:.1f} ms",
        f"{grader.each_cpu * 1000:.1f} ms",
        f"{whole.peak / 1e6:.0f} MB",
    )
