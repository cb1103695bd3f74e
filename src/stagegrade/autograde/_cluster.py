"""Grades on the workers of a Dask cluster, which shares no files with this machine."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from operator import length_hint
from typing import Any
from uuid import uuid4

from stagegrade.autograde._cluster_worker import graded, received
from stagegrade.autograde._fitness import WORKER_PACKAGES, unfit
from stagegrade.autograde._grader import GradedNotebook, Submission
from stagegrade.autograde._parcel import Kit, Parcel, packed
from stagegrade.autograde._places import Machine, machine, places, take_places
from stagegrade.autograde._pool import IN_FLIGHT, TICK_SECONDS, Lost, WorkerRefused
from stagegrade.autograde._read import MAX_BYTES

CONNECT_SECONDS = 30
WORKER_SECONDS = 60
CLOSE_SECONDS = 5
# What the scheduler and this machine do for a submission, they do for as many at once.
MOST_TOGETHER = 8
BYTES_TOGETHER = 1 << 20
KEPT_MESSAGES = 10


class ClusterRefused(Exception):
    """The cluster cannot grade; the message says why, and what to do."""


class Cluster:
    """The workers of the scheduler at ``address``, each given ``kit`` once and submissions as it asks for them.

    A submission whose worker is lost is graded by another; Dask gives one up that has cost several workers.
    ``most_beside`` bounds the bytes of the files that travel with a submission. Raises ``ClusterRefused``.
    """

    def __init__(self, address: str, kit: Kit, most_beside: int) -> None:
        try:
            import dask
            from distributed import Client
        except ImportError as error:
            raise ClusterRefused(
                "--dask needs the package distributed, which is not installed here: "
                "pip install 'stagegrade[cluster]'"
            ) from error
        self._address = address
        self._most_bytes = int(kit.config.SubmissionExporter.get("max_notebook_bytes", MAX_BYTES))
        self._most_beside = most_beside
        self._checked: dict[str, Machine] = {}
        try:
            # Each message has a parcel, and Dask would keep the last thousand to show them to whoever debugs it.
            with dask.config.set({"distributed.admin.low-level-log-length": KEPT_MESSAGES}):
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
            self._kit = self._client.submit(received, kit, key=f"stagegrade-kit-{kit.name}")
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

    def _check_workers(self, known: Mapping[str, int]) -> None:
        """Refuse workers that have come since the last look and would grade otherwise than this machine.

        ``known``: how many submissions each grades at a time, by its address.
        """
        from distributed.versions import get_versions

        new = [address for address in known if address not in self._checked]
        if not new:
            return
        # Of Dask's own, so that a worker which lacks this package can say so; where it is lost again, nothing is.
        found = self._client.run(get_versions, list(WORKER_PACKAGES), workers=new, on_error="ignore")
        troubles = unfit(get_versions(list(WORKER_PACKAGES)), found)
        if troubles:
            raise ClusterRefused("\n".join(troubles))
        self._checked |= self._client.run(machine, workers=[*found], on_error="ignore")
        taken = places(self._checked, known)
        self._client.run(take_places, taken, workers=[*taken], on_error="ignore")

    def run(
        self, tasks: Iterator[Submission], tick: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[Submission, list[GradedNotebook] | Lost]]:
        """Each submission with what came of it, as they are done.

        Never more travel than the workers are about to need, and what is told is forgotten everywhere. They travel
        a few at a time while ``tasks`` hints (``operator.length_hint``) at enough for every worker. ``tick`` is
        called several times a second. Raises ``ClusterRefused``.
        """
        from distributed import wait

        waiting: dict[Any, list[Submission]] = {}
        again: deque[Submission] = deque()
        retried: set[Submission] = set()
        more = True
        room, looked = 0, -math.inf
        while True:
            # Each look is a question to the scheduler, which has others to serve.
            if time.monotonic() - looked >= TICK_SECONDS:
                threads = self._threads()
                self._check_workers(threads)
                room, looked = IN_FLIGHT * max(1, sum(threads.values())), time.monotonic()
            while len(waiting) < room and (again or more):
                if again:
                    # Alone: what it does to its worker is done to no other.
                    sent = self._sent_off(iter([again.popleft()]), 1)
                else:
                    sent = self._sent_off(tasks, length_hint(tasks) // (2 * room))
                    more = bool(sent)
                waiting |= sent
            if not waiting:
                return
            with self._client.as_current(), suppress(TimeoutError, CancelledError):
                wait(list(waiting), timeout=TICK_SECONDS, return_when="FIRST_COMPLETED")
            for future in [future for future in waiting if future.done()]:
                travelled = waiting.pop(future)
                # That it cost several workers, Dask has tried.
                final = len(travelled) == 1 and future.status == "error"
                results = self._results(future, len(travelled))
                future.release()
                for task, result in zip(travelled, results, strict=True):
                    if isinstance(result, Lost) and not final and task not in retried:
                        retried.add(task)
                        again.append(task)
                    else:
                        yield task, result
            tick()

    def _sent_off(self, tasks: Iterator[Submission], most: int) -> dict[Any, list[Submission]]:
        """The next few, at least one where there is one, by the future of what comes of them."""
        travelling: list[Submission] = []
        parcels: list[Parcel] = []
        size = 0
        while len(parcels) < max(1, min(most, MOST_TOGETHER)) and size < BYTES_TOGETHER:
            task = next(tasks, None)
            if task is None:
                break
            travelling.append(task)
            parcels.append(packed(task, self._most_bytes, self._most_beside))
            size += parcels[-1].size
        if not parcels:
            return {}
        return {self._submitted(parcels): travelling}

    def _submitted(self, parcels: list[Parcel]) -> Any:
        key = f"stagegrade-{uuid4().hex}"
        return self._client.submit(graded, self._kit, parcels, key=key, pure=False)

    def _results(self, future: Any, count: int) -> list[list[GradedNotebook] | Lost]:
        if future.status == "error":
            error = future.exception()
            if isinstance(error, WorkerRefused):
                raise ClusterRefused(str(error))
            return [Lost(f"{type(error).__name__}: {error}")] * count
        try:
            # What a worker that was lost meanwhile had of it is made again.
            results: list[list[GradedNotebook] | Lost] = future.result()
        except (CancelledError, OSError) as error:
            raise ClusterRefused(
                f"the scheduler at {self._address} is gone. What was graded is kept; "
                "when it is back, run this again to go on."
            ) from error
        return results

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close(timeout=CLOSE_SECONDS)
