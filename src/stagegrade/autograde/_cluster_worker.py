"""What a worker of a Dask cluster does: sets up the course that it is sent, and grades by it."""

import asyncio
import functools
import threading
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary, finalize

from stagegrade.autograde._grader import GradedNotebook
from stagegrade.autograde._parcel import Bench, Kit, Parcel
from stagegrade.autograde._places import keep_to_place
from stagegrade.autograde._pool import Lost, WorkerRefused
from stagegrade.jail import WarmStartError

# A worker holds a kit as long as somebody who is still there wants it, and until what it grades by it is done. So
# nothing of a course stays where it does not belong, however its run ended: Dask drops what a lost client wanted.
_benches: "WeakKeyDictionary[Kit, Bench]" = WeakKeyDictionary()
_setting_up = threading.RLock()


def received(kit: Kit) -> Kit:
    return kit


async def graded(kit: Kit, parcels: Sequence[Parcel]) -> list[list[GradedNotebook] | Lost]:
    """What came of each submission, graded on this worker one after the other.

    Raises ``WorkerRefused`` where none can be.
    """
    from distributed import get_worker

    worker = get_worker()
    # In a thread of its own and not in Dask's, through whose frames Dask looks a hundred times a second.
    call = functools.partial(_graded, kit, parcels, worker.address)
    return await asyncio.get_running_loop().run_in_executor(
        _threads(worker.address, worker.state.nthreads), call
    )


@functools.cache
def _threads(address: str, count: int) -> Any:
    """As many as the worker at ``address`` grades at a time."""
    from distributed.threadpoolexecutor import ThreadPoolExecutor

    # Dask's own, which a worker that is told to end does not wait for.
    return ThreadPoolExecutor(count, thread_name_prefix="stagegrade")


def _graded(kit: Kit, parcels: Sequence[Parcel], address: str) -> list[list[GradedNotebook] | Lost]:
    with _setting_up:
        bench = _benches.get(kit)
        if bench is None:
            bench = _benches[kit] = Bench(kit)
            finalize(kit, _forget, bench)
    try:
        bench.prepare()
    except WarmStartError as error:
        raise WorkerRefused(f"the worker at {address}: {error}") from error
    keep_to_place(address)
    found: list[list[GradedNotebook] | Lost] = []
    for parcel in parcels:
        try:
            found.append(bench.grade(parcel))
        except WarmStartError as error:
            raise WorkerRefused(f"the worker at {address}: {error}") from error
        except Exception as error:  # noqa: BLE001 - a fault of the grader's own; the others are graded all the same
            found.append(Lost(f"{type(error).__name__}: {error}"))
    return found


def _forget(bench: Bench) -> None:
    with _setting_up:
        bench.clear()
        # Not by its length: the one that is gone may still be counted.
        if not list(_benches):
            bench.cool()
