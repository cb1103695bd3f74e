"""``stagegrade bench attribution``: how often the stage and the mistake that are named are the right ones."""

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from traitlets import Bool, Integer, Unicode

from stagegrade.apps._app import DONE, UNGRADED, StageApp, console
from stagegrade.apps._figures import figures
from stagegrade.autograde import cores
from stagegrade.bench._attribution import Attribution, NoCorrectCode, Part, attribution

IMPLEMENTATIONS = Path("tests/attribution/correct")
WHAT = {"mistakes": "mistakes in the catalogue", "pairs": "pairs in one forward", "correct": "correct code"}


class AttributionApp(StageApp):
    name = "stagegrade-bench-attribution"
    ungraded = "it is not as good as is asked of it"
    description = (
        "Judge code of which it is known what is wrong with it: every mistake of the catalogue in several styles, "
        "pairs of mistakes in one forward, and correct code. What is got wrong is printed, a line each."
    )
    examples = """
            stagegrade bench attribution
            stagegrade bench attribution --samples 200 --pairs 200 --correct tests/attribution/correct --json
    """

    samples = Integer(-1, min=-1, help="How many of the catalogue's samples are judged; -1 for all.").tag(
        config=True
    )
    pairs = Integer(2000, min=0, help="How many pairs of mistakes in one forward are judged.").tag(
        config=True
    )
    correct = Unicode(
        "",
        help="The folder of correct code, a file ASSIGNMENT/NAME.py each; else a checkout's own.",
    ).tag(config=True)
    seed = Integer(1, min=0, help="What samples, pairs and cases are drawn from.").tag(config=True)
    jobs = Integer(0, min=0, help="How many are judged at a time; 0 for one a processor.").tag(config=True)
    as_json = Bool(False, help="Print one JSON object.").tag(config=True)

    aliases: dict[str, Any] = {
        **StageApp.aliases,
        **{name: f"AttributionApp.{name}" for name in ("samples", "pairs", "correct", "seed", "jobs")},
    }
    flags: dict[Any, Any] = {
        **StageApp.flags,
        "json": ({"AttributionApp": {"as_json": True}}, "Print one JSON object."),
    }

    @property
    def command(self) -> str:
        return "stagegrade bench attribution"

    def start(self) -> None:
        super().start()
        self.arguments()
        try:
            found = self._measured()
        except NoCorrectCode as none:
            self.refuse(f"{none}. Name another folder with --correct.")
        if self.as_json:
            print(json.dumps(found.as_json(), indent=2))
        else:
            heads = ("judged", "stage right", "mistake named", "CPU each", "95 % below", "as asked")
            rows = [(WHAT[name], *_row(part, name)) for name, part in found.parts.items()]
            console().print(figures(heads, rows))
            for line in _lines(found):
                print(line)
        sys.exit(DONE if found.holds else UNGRADED)

    def _measured(self) -> Attribution:
        terminal = Console(stderr=True)
        columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=terminal, transient=True, disable=not terminal.is_terminal) as bar:
            task = bar.add_task("", total=None)
            return attribution(
                most_samples=None if self.samples < 0 else self.samples,
                most_pairs=self.pairs,
                correct=self._folder(),
                seed=self.seed,
                jobs=self.jobs or cores(),
                advance=lambda done, total: bar.update(task, completed=done, total=total),
            )

    def _folder(self) -> Path | None:
        if self.correct:
            return Path(self.correct)
        around = (Path.cwd(), *Path(__file__).parents)
        return next((at / IMPLEMENTATIONS for at in around if (at / IMPLEMENTATIONS).is_dir()), None)


def _lines(found: Attribution) -> list[str]:
    none = "There is no correct code to judge here: name its folder with --correct."
    return [*([none] if found.correct is None else []), *found.complaints]


def _row(part: Part, name: str) -> tuple[str, ...]:
    named = "" if name == "correct" else _share(part.named, part.samples)
    return (
        str(part.samples),
        _share(part.stage_right, part.samples),
        named,
        f"{part.median_seconds * 1000:.1f} ms",
        f"{part.slowest_seconds * 1000:.1f} ms",
        "yes" if part.holds else "no",
    )


def _share(some: int, every: int) -> str:
    return f"{some} = {100 * some / every:.2f} %"
