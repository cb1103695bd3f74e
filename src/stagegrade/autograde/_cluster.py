"""Grades on the workers of a Dask cluster, which shares no files with this machine."""

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary, finalize

from stagegrade.autograde._fitness import WORKER_PACKAGES, unfit
from stagegrade.autograde._grader import GradedNotebook, Submission
from stagegrade.autograde._parcel import Bench, Kit, Parcel, packed
from stagegrade.autograde._pool import IN_FLIGHT, TICK_SECONDS, Lost, WorkerRefused
from stagegrade.autograde._read import MAX_BYTES
from stagegrade.jail import WarmStartError

CONNECT_SECONDS = 30
WORKER_SECONDS = 60
CLOSE_SECONDS = 5


class ClusterRefused(Exception):
    """The cluster cannot grade; the message says why, and what to do."""


class Cluster:
    """The workers of the scheduler at ``address``, each given ``kit`` once and submissions as it asks for them.

    A submission whose worker is lost is graded by another; Dask gives one up that has cost several workers.
    ``most_beside`` bounds the bytes of the files that travel with a submission. Raises ``ClusterRefused``.
    """

    def __init__(self, address: str, kit: Kit, most_beside: int) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise ClusterRefused(
                "--dask needs the package distributed, which is not installed here: "
                "pip install 'stagegrade[cluster]'"
            ) from error
        self._address = address
        self._most_bytes = int(kit.config.SubmissionExporter.get("max_notebook_bytes", MAX_BYTES))
        self._most_beside = most_beside
        self._checked: set[str] = set()
        try:
            self._client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterRefused(
                f"no Dask scheduler answers at {address} ({str(error).splitlines()[0]}). "
                "Start one (dask scheduler), or give the address that it names as it starts."
            ) from error
        try:
            self._await_workers()
            self._check_workers(self._threads())
            # As a task, not as data that is handed out: whatever workers come and go, it is made again.
            self._sent = self._client.submit(_received, kit, key=f"stagegrade-kit-{kit.name}")
        except BaseException:
            self.close()
            raise

    def _await_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError as error:
            raise ClusterRefused(
                f"the scheduler at {self._address} has no worker, nor got one in {WORKER_SECONDS} s. "
                f"Start some: dask worker {self._address} --nthreads 1"
            ) from error

    def _threads(self) -> dict[str, int]:
        """How many submissions each worker grades at a time, by its address."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        return {address: int(worker["nthreads"]) for address, worker in workers.items()}

    def _check_workers(self, known: Iterable[str]) -> None:
        """Refuse workers that have come since the last look and would grade otherwise than this machine."""
        from distributed.versions import get_versions

        new = [address for address in known if address not in self._checked]
        if not new:
            return
        # Of Dask's own, so that a worker which lacks this package can say so; where it is lost again, nothing is.
        found = self._client.run(get_versions, list(WORKER_PACKAGES), workers=new, on_error="ignore")
        troubles = unfit(get_versions(list(WORKER_PACKAGES)), found)
        if troubles:
            raise ClusterRefused("\n".join(troubles))
        self._checked |= found.keys()

    def run(
        self, tasks: Iterator[Submission], tick: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[Submission, list[GradedNotebook] | Lost]]:
        """Each submission with what came of it, as they are done.

        Never more travel than the workers are about to need, and what is told is forgotten everywhere. ``tick``
        is called several times a second. Raises ``ClusterRefused``.
        """
        from distributed import wait

        waiting: dict[Any, Submission] = {}
        more = True
        room, looked = 0, -math.inf
        while True:
            # Each look is a question to the scheduler, which has others to serve.
            if time.monotonic() - looked >= TICK_SECONDS:
                threads = self._threads()
                self._check_workers(threads)
                room, looked = IN_FLIGHT * max(1, sum(threads.values())), time.monotonic()
            while more and len(waiting) < room:
                task = next(tasks, None)
                if task is None:
                    more = False
                    break
                waiting[self._submitted(task)] = task
            if not waiting:
                return
            with self._client.as_current(), suppress(TimeoutError, CancelledError):
                wait(list(waiting), timeout=TICK_SECONDS, return_when="FIRST_COMPLETED")
            for future in [future for future in waiting if future.done()]:
                task = waiting.pop(future)
                result = self._result(future)
                future.release()
                yield task, result
            tick()

    def _submitted(self, task: Submission) -> Any:
        parcel = packed(task, self._most_bytes, self._most_beside)
        return self._client.submit(
            _graded, self._sent, parcel, key=f"stagegrade-{uuid4().hex}", pure=False, retries=1
        )

    def _result(self, future: Any) -> list[GradedNotebook] | Lost:
        if future.status == "error":
            error = future.exception()
            if isinstance(error, WorkerRefused):
                raise ClusterRefused(str(error))
            return Lost(f"{type(error).__name__}: {error}")
        try:
            # What a worker that was lost meanwhile had of it is made again.
            result: list[GradedNotebook] = future.result()
        except (CancelledError, OSError) as error:
            raise ClusterRefused(
                f"the scheduler at {self._address} is gone. What was graded is kept; "
                "when it is back, run this again to go on."
            ) from error
        return result

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close(timeout=CLOSE_SECONDS)


# A worker holds a kit as long as somebody who is still there wants it, and until what it grades by it is done. So
# nothing of a course stays where it does not belong, however its run ended: Dask drops what a lost client wanted.
_benches: "WeakKeyDictionary[Kit, Bench]" = WeakKeyDictionary()
_setting_up = threading.RLock()


def _received(kit: Kit) -> Kit:
    return kit


def _graded(kit: Kit, parcel: Parcel) -> list[GradedNotebook]:
    """Grade a submission on this worker."""
    with _setting_up:
        bench = _benches.get(kit)
        if bench is None:
            bench = _benches[kit] = Bench(kit)
            finalize(kit, _forget, bench)
    try:
        return bench.grade(parcel)
    except WarmStartError as error:
        from distributed import get_worker

        raise WorkerRefused(f"the worker at {get_worker().address}: {error}") from error


def _forget(bench: Bench) -> None:
    with _setting_up:
        bench.clear()
        # Not by its length: the one that is gone may still be counted.
        if not list(_benches):
            bench.cool()
