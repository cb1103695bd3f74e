"""The class on a terminal shows every word as it was given, whatever it looks like."""

import io

import pytest
from rich.console import Console

from stagegrade.apps._progress import RunProgress
from stagegrade.report import cohort_table
from tests.report.records import record, row

ODD = ("[/bold]", "[red]bob[bold]", ":smile:", "[link=http://x.invalid]here[/link]", "\\[b]")


def shown(student: str = "one", title: str = "week", stage: str = "scaling", message: str = "No.") -> str:
    raised = row(stage, "raised", message=message)
    console = Console(width=200, file=io.StringIO(), force_terminal=True, color_system=None)
    with console.capture() as capture:
        console.print(cohort_table(title, {student: record(row("scores"), raised)}))
    return capture.get()


@pytest.mark.parametrize("place", ["student", "title", "stage", "message"])
@pytest.mark.parametrize("odd", ODD)
def test_nothing_in_the_table_is_markup(place: str, odd: str) -> None:
    """One student's error message would end every run without a table, or a name would be another's."""
    assert odd in shown(**{place: odd})


def test_a_status_that_brackets_stand_in_is_shown() -> None:
    """A damaged notebook's reason would end the run, or lose its words."""
    console = Console(width=200, file=io.StringIO())
    with console.capture() as capture:
        damaged = record(row("scores", "not_reached"), status="unreadable", flags=["no such file [/x]"])
        console.print(cohort_table("week", {"one": damaged}))
    assert "unreadable: no such file [/x]" in capture.get()


def test_a_bar_shows_a_stage_as_it_is_called() -> None:
    """A run on a terminal would end at the first submission that diverges in such a stage."""
    console = Console(width=200, file=io.StringIO(), force_terminal=True, color_system=None)
    with console.capture() as capture, RunProgress(2, console) as progress:
        progress.graded("one", record(row("[/bold]", "diverges")))
        progress.tick()
    assert "[/bold] 1" in capture.get()
