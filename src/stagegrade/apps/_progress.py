"""How far a run has come, while it runs: a bar on a terminal, a line now and then elsewhere."""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_SECONDS = 10.0


class RunProgress:
    """Counts submissions as they are graded, and where they diverge first.

    Drawn only in ``tick``, which whoever waits for the next submission calls: a run that forks has no threads.
    """

    def __init__(self, total: int, console: Console, *, verbose: bool = False) -> None:
        self.done = 0
        self.diverging: Counter[str] = Counter()
        self._total = total
        self._console = console
        self._verbose = verbose
        self._began = self._told = time.monotonic()
        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[diverging]}", markup=False),
            console=console,
            transient=True,
            auto_refresh=False,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=total, rate="", diverging="")

    def __enter__(self) -> "RunProgress":
        self._bar.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._bar.stop()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def per_second(self) -> float:
        return self.done / self.seconds if self.done else 0.0

    def graded(self, student: str, record: Mapping[str, Any] | None, trouble: str | None = None) -> None:
        """A submission is done: ``record`` of its first notebook, or ``trouble`` in its place."""
        self.done += 1
        said = trouble or ""
        if record is not None:
            first = record["first_divergence"]
            if first is not None:
                self.diverging[first] += 1
            said = f"{record['score']:g} of {record['max_score']:g}"
            said += f", diverges at {first}" if first else ""
            said += f", {record['status']}" if record["status"] != "graded" else ""
        if self._verbose:
            self._console.print(f"{student}: {said}", markup=False, highlight=False)
        self._bar.update(
            self._task,
            completed=self.done,
            rate=f"{self.per_second:.1f}/s",
            diverging=self.where(),
        )

    def where(self) -> str:
        """How many diverge first at each stage, in words."""
        return "  ".join(f"{stage} {count}" for stage, count in self.diverging.most_common())

    def tick(self) -> None:
        if self._console.is_terminal:
            self._bar.refresh()
        elif not self._verbose and time.monotonic() - self._told > LINE_SECONDS:
            self._told = time.monotonic()
            line = f"{self.done} of {self._total} graded"
            if self.done:
                left = (self._total - self.done) / self.per_second
                line += f", {self.per_second:.1f}/s, {left:.0f} s left"
            diverging = f"; diverge at: {self.where()}" if self.diverging else ""
            self._console.print(line + diverging, markup=False, highlight=False)
