"""Which processors the workers of a cluster keep to."""

import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

_taken: dict[str, Sequence[int]] = {}


@dataclass(frozen=True)
class Machine:
    """A worker's machine by name, and the processors that it may use there."""

    name: str
    processors: tuple[int, ...]


def machine() -> Machine:
    """This one; asked on a worker."""
    return Machine(socket.gethostname(), tuple(sorted(os.sched_getaffinity(0))))


def places(machines: Mapping[str, Machine], threads: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """The processors of each worker that has ``threads``, by its address.

    Where a machine has a thread to each processor, a worker has as many of its own as it has threads: a submission
    and who grades it take turns, and a turn is taken up sooner where it was left. Elsewhere it has all of them.
    """
    found: dict[str, tuple[int, ...]] = {}
    for its in set(machines.values()):
        here = sorted(address for address in threads if machines.get(address) == its)
        own = sum(threads[address] for address in here) == len(its.processors)
        left = iter(its.processors)
        for address in here:
            found[address] = tuple(islice(left, threads[address])) if own else its.processors
    return found


def take_places(taken: Mapping[str, Sequence[int]]) -> None:
    """From now on ``keep_to_place`` knows these; told to each worker."""
    _taken.update(taken)


def keep_to_place(address: str) -> None:
    """Have the calling thread, of the worker at ``address``, and the submissions that it grades stay in its place."""
    if address in _taken:
        # Since it was asked it may have lost a processor.
        with suppress(OSError):
            os.sched_setaffinity(0, _taken[address])
