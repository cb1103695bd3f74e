"""Student code of which it is known what is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Wrong: TypeAlias = tuple[tuple[str, str], ...]
"""What is wrong with a piece of code: stages, in the order of the pipeline, each with a mistake's name."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Code to be judged as a part of an assignment's notebook whose other cells are right."""

    pipeline: str
    readings: tuple[Wrong, ...]
    """What is wrong with it; several where the very same text comes of one slip or of another. ``((),)`` where it
    is right."""
    style: str
    code: str
    seed: int = 0
    """What the cases are drawn from that it is judged on."""
    functions: Mapping[str, str]
    """The name of the function or class in ``code`` for each stage that it is handed over for."""

    def __str__(self) -> str:
        wrong = " or ".join(" and ".join(": ".join(one) for one in reading) for reading in self.readings)
        return ", ".join(part for part in (self.pipeline, wrong, self.style, f"seed {self.seed}") if part)
