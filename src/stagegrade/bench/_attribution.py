"""How often the judge is right about code of which it is known what is wrong with it."""

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from symtable import symtable
from typing import Any

import torch

from stagegrade.bench._judged import Judged, judged
from stagegrade.bench._notebook import handed
from stagegrade.bench._pairs import pairs
from stagegrade.bench._sample import Sample
from stagegrade.bench._samples import samples
from stagegrade.pipelines import find, names

SEED = 1
_AT_ONCE = 8
_RIGHT = ((),)


@dataclass(frozen=True, kw_only=True)
class Part:
    """One kind of samples, and what was asked of the judge for it (shares from 0 to 1, seconds of processor time)."""

    samples: int
    stage_right: int
    named: int
    asked_stage: float
    asked_named: float
    median_seconds: float
    """Of one notebook."""
    slowest_seconds: float
    """What 95 of 100 notebooks stay below."""
    asked_seconds: float

    @property
    def holds(self) -> bool:
        return (
            self.stage_right >= self.asked_stage * self.samples
            and self.named >= self.asked_named * self.samples
            and self.median_seconds <= self.asked_seconds
        )


@dataclass(frozen=True, kw_only=True)
class Attribution:
    seed: int
    mistakes: Part | None
    pairs: Part | None
    correct: Part | None
    complaints: Sequence[str]
    """What was got wrong, a line each."""

    @property
    def parts(self) -> dict[str, Part]:
        known = {"mistakes": self.mistakes, "pairs": self.pairs, "correct": self.correct}
        return {name: part for name, part in known.items() if part is not None}

    @property
    def holds(self) -> bool:
        return all(part.holds for part in self.parts.values())

    def as_json(self) -> dict[str, Any]:
        return {"schema": 1, **asdict(self), "holds": self.holds}


class NoCorrectCode(Exception):
    """A folder holds no implementations, or one for an assignment that there is not."""


def attribution(
    *,
    most_samples: int | None = None,
    most_pairs: int = 2000,
    correct: Path | None = None,
    seed: int = SEED,
    jobs: int = 1,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Attribution:
    """Judge slips of the catalogue, pairs of them, and the correct implementations in a folder.

    ``most_samples`` of the catalogue's, drawn from ``seed``, or all of them; ``correct`` has a folder an assignment
    with a Python file an implementation. ``advance`` is told how many are done, of how many.

    Raises ``NoCorrectCode``.
    """
    _one_thread()
    wrong: list[Sample] = []
    if most_samples != 0:
        wrong = _some([sample for name in names() for sample in samples(find(name))], most_samples, seed)
    two = list(islice(pairs(find("self_attention"), seed), most_pairs))
    right = [] if correct is None else list(implementations(correct))
    every = [*_on_cases_of_their_own(wrong, seed), *two, *_on_cases_of_their_own(right, seed)]
    found: list[Judged] = []
    for one in _each_judged(every, jobs):
        found.append(one)
        advance(len(found), len(every))
    first, second = len(wrong), len(wrong) + len(two)
    return Attribution(
        seed=seed,
        mistakes=_part(found[:first], 1.0, 0.99, 0.3),
        pairs=_part(found[first:second], 0.99, 0.95, 0.3),
        correct=_part(found[second:], 1.0, 1.0, 0.03),
        complaints=[one.complaint for one in found if one.complaint],
    )


def implementations(folder: Path) -> Iterator[Sample]:
    """Each file ``ASSIGNMENT/NAME.py``, as code that defines what that assignment's notebook hands over.

    What a file does not define is the notebook's own. Raises ``NoCorrectCode``.
    """
    files = sorted(folder.glob("*/*.py"))
    if not files:
        raise NoCorrectCode(f"{folder} holds no file ASSIGNMENT/NAME.py")
    for path in files:
        assignment = path.parent.name
        if assignment not in names():
            raise NoCorrectCode(f"{path}: no assignment is called {assignment}")
        code = path.read_text(encoding="utf-8")
        known = _defined(code)
        defined = {stage: name for stage, name in handed(assignment).items() if name in known}
        if not defined:
            raise NoCorrectCode(
                f"{path} defines none of {', '.join(dict.fromkeys(handed(assignment).values()))}"
            )
        yield Sample(pipeline=assignment, readings=_RIGHT, style=path.stem, code=code, functions=defined)


def _defined(code: str) -> set[str]:
    """The names that the code gives to anything outside of functions and classes; none where it is no Python."""
    try:
        table = symtable(code, "", "exec")
    except SyntaxError:
        return set()
    return {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned()}


def _some(every: list[Sample], most: int | None, seed: int) -> list[Sample]:
    return every if most is None or most >= len(every) else random.Random(seed).sample(every, most)


def _on_cases_of_their_own(every: Sequence[Sample], seed: int) -> Iterator[Sample]:
    for number, sample in enumerate(every):
        yield replace(sample, seed=1000 * seed + number)


def _each_judged(every: Sequence[Sample], jobs: int) -> Iterator[Judged]:
    """In order."""
    if jobs == 1:
        yield from map(judged, every)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _one_thread) as pool:
        yield from pool.map(judged, every, chunksize=_AT_ONCE)


def _one_thread() -> None:
    """The tensors are tiny: sharing them out among threads takes many times what computing them does."""
    torch.set_num_threads(1)


def _part(found: Sequence[Judged], stage: float, named: float, seconds: float) -> Part | None:
    if not found:
        return None
    times = [one.seconds for one in found]
    return Part(
        samples=len(found),
        stage_right=sum(one.stage_right for one in found),
        named=sum(one.named for one in found),
        asked_stage=stage,
        asked_named=named,
        median_seconds=median(times),
        slowest_seconds=quantiles(times, n=20)[-1] if len(times) > 1 else times[0],
        asked_seconds=seconds,
    )
