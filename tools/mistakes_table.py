"""Writes docs/mistakes.md, the catalogue of mistakes as a table: ``make mistakes``."""

from collections.abc import Iterator
from pathlib import Path

from stagegrade.pipelines import Mistake, Pipeline, Stage, find, names

PAGE = Path(__file__).parents[1] / "docs" / "mistakes.md"
INTRODUCTION = """\
# The catalogue of mistakes

<!-- Written by tools/mistakes_table.py from src/stagegrade/pipelines/mistakes: edit there, then: make mistakes. -->

A mistake is named to a student only when it reproduces what the student's code gave on every case. Where
several do so, all of them are named. *Checkpoint* is the item of the checklist that covers it.
"""
HEAD = """\
| mistake | checkpoint | what you see | why | where to look next |
|---|---|---|---|---|"""


def page() -> str:
    """The whole page, with a section for each assignment and a table for each of its stages."""
    pipelines = [find(name) for name in names()]
    distinct = {mistake.name for pipeline in pipelines for mistake in pipeline.mistakes}
    count = f"There are {len(distinct)} mistakes; many of them are listed for several stages.\n"
    return "\n".join([INTRODUCTION, count, *(part for p in pipelines for part in _assignment(p))])


def _assignment(pipeline: Pipeline) -> Iterator[str]:
    yield f"## {pipeline.name}\n"
    for stage in pipeline.asked:
        rows = [_row(stage, mistake) for mistake in pipeline.mistakes_of(stage)]
        yield f"### {stage.name}\n"
        if stage.purpose:
            yield f"This stage {stage.purpose}.\n"
        yield "\n".join([HEAD, *rows]) + "\n"


def _row(stage: Stage, mistake: Mistake) -> str:
    checkpoint = mistake.checkpoint or stage.checkpoint or "–"
    texts = (mistake.sees, mistake.why, mistake.hint)
    return "| " + " | ".join([f"`{mistake.name}`", checkpoint, *map(_escaped, texts)]) + " |"


def _escaped(text: str) -> str:
    return text.translate({ord(sign): f"\\{sign}" for sign in "|*<`"})


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
