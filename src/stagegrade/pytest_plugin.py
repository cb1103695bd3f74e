"""A pytest plugin, off until asked for: ``pytest --stagegrade submitted/`` makes each stage a test.

Nothing but pytest is imported before that: the plugin is loaded in every run of pytest where stagegrade is installed.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from stagegrade.autograde import Belonging

# What a course has besides what was handed in; a notebook there is graded only where it is named itself.
NOT_HANDED_IN = ("source", "release", "autograded", "feedback")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("stagegrade", "grading notebooks stage by stage")
    group.addoption("--stagegrade", action="store_true", help="Grade notebooks: each stage is a test.")
    group.addoption(
        "--stagegrade-assignment",
        metavar="NAME",
        help="The assignment, where the notebooks' names and cells do not tell.",
    )
    group.addoption(
        "--stagegrade-unprotected",
        action="store_true",
        help="Run the notebooks without walls around them: only where their authors run them themselves.",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.getoption("stagegrade") or collection_path.name not in NOT_HANDED_IN:
        return None
    from stagegrade.autograde import CONFIG_NAME

    named = {Path(str(argument).partition("::")[0]).resolve() for argument in config.args}
    is_course = (collection_path.parent / CONFIG_NAME).is_file()
    return True if is_course and not any(path.is_relative_to(collection_path) for path in named) else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "NotebookFile | None":
    if not parent.config.getoption("stagegrade") or file_path.suffix != ".ipynb":
        return None
    return NotebookFile.from_parent(parent, path=file_path)


class StageFailed(Exception):
    """A stage that is not right; the text is its panel."""


class NotebookFile(pytest.File):
    """A notebook, graded once, when the first of its stages is asked for."""

    def collect(self) -> Iterator["StageItem"]:
        from stagegrade.autograde import UnknownAssignment, stages_asked

        try:
            stages = stages_asked(self.belonging)
        except UnknownAssignment as error:
            raise self.CollectError(str(error)) from error
        for stage in stages:
            yield StageItem.from_parent(self, name=stage)

    @cached_property
    def belonging(self) -> "Belonging":
        from stagegrade.autograde import belonging

        return belonging(self.path, self.config.getoption("stagegrade_assignment"))

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The judge's record. Raises ``NotDiagnosed`` where the grader cannot work, which is nobody's mistake here."""
        from stagegrade.apps import diagnosed

        options = ["--unprotected"] if self.config.getoption("stagegrade_unprotected") else []
        return diagnosed(self.path, self.belonging, options)


class StageItem(pytest.Item):
    """One stage of one notebook."""

    parent: NotebookFile

    def runtest(self) -> None:
        from stagegrade.report import panel

        record = self.parent.record
        (row,) = [row for row in record["stages"] if row["stage"] == self.name]
        kept = ("points", "max_points", "verdict", "mistake")
        self.user_properties += [(key, row[key]) for key in kept if row[key] is not None]
        first = record["first_divergence"]
        if row["carried"]:
            pytest.skip(f"right, and carries the error of {first}")
        if row["verdict"] == "not_reached" and first not in (None, self.name):
            pytest.skip(f"not reached, because of {first}")
        if record["status"] == "unreadable" and row is not record["stages"][0]:
            pytest.skip(f"not reached: {self.path.name} cannot be read")
        if row["verdict"] != "correct":
            raise StageFailed(panel(row, record)["text/plain"])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The panel alone: the lines of this plugin say nothing to a student."""
        from stagegrade.autograde import NotDiagnosed

        if isinstance(excinfo.value, (StageFailed, NotDiagnosed)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.stem}: {self.name}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The points of each notebook, as they would be in the gradebook."""
    if not config.getoption("stagegrade"):
        return
    sums: dict[str, list[float]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            found = dict(getattr(report, "user_properties", ()))
            if getattr(report, "when", "") == "call" and "max_points" in found:
                points = sums.setdefault(report.nodeid.partition("::")[0], [0.0, 0.0])
                points[0] += found["points"]
                points[1] += found["max_points"]
    if sums:
        terminalreporter.section("stagegrade")
    for notebook, (given, most) in sorted(sums.items()):
        terminalreporter.line(f"{notebook}: {given:g} of {most:g} {'point' if most == 1 else 'points'}")
