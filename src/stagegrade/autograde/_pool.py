"""Worker processes that do one task after another, watched by the process that started them."""

import gc
import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

# One that is being worked on, and one that waits so that the worker never does.
IN_FLIGHT = 2
TICK_SECONDS = 0.25


class WorkerRefused(Exception):
    """A worker could not make ready; no task was begun, and none would fare better."""


@dataclass(frozen=True)
class Lost:
    """A task that ended its worker, or raised in it, twice. ``said`` is the last error, if there was one."""

    said: str


@dataclass
class _Worker(Generic[Task]):
    process: Any
    line: Connection
    ready: bool = False
    tasks: deque[Task] = field(default_factory=deque)


class Pool(Generic[Task, Result]):
    """``jobs`` processes forked from this one; each calls ``make`` once, then what that returns for each task.

    Forked, so that what this process has read and imported is there at once, and nothing of it is pickled:
    make it before this process has threads. A worker that dies is replaced, and its task tried once more.
    A worker ends when the process that made the pool is gone, however that ended.
    """

    def __init__(self, jobs: int, make: Callable[[], Callable[[Task], Result]]) -> None:
        self._jobs = jobs
        self._make = make
        self._fork = multiprocessing.get_context("fork")
        self._workers: list[_Worker[Task]] = []
        self._retried: set[Task] = set()
        for _ in range(jobs):
            self._start()

    def _start(self) -> None:
        ours, theirs = self._fork.Pipe()
        # Where there is a worker to each processor, each stays on its own, and its submissions with it.
        processors = sorted(os.sched_getaffinity(0))
        own = {processors[len(self._workers)]} if len(processors) == self._jobs else set(processors)
        # Its copies of the other lines would keep those open after this process is gone.
        others = [worker.line for worker in self._workers] + [ours]
        process = self._fork.Process(target=_serve, args=(theirs, others, self._make, own), daemon=True)
        process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))

    def run(
        self, tasks: Iterator[Task], tick: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[Task, Result | Lost]]:
        """Each task with its result, in the order in which they are done. ``tasks`` is drawn from as needed.

        ``tick`` is called several times a second. Raises ``WorkerRefused``.
        """
        again: deque[Task] = deque()
        more = True
        while True:
            for worker in self._workers:
                while len(worker.tasks) < IN_FLIGHT and (again or more):
                    task = again.popleft() if again else next(tasks, None)
                    if task is None:
                        more = False
                        break
                    worker.tasks.append(task)
                    with suppress(OSError):  # gone; seen below
                        worker.line.send(task)
            if not any(worker.tasks for worker in self._workers):
                return
            ready = wait([worker.line for worker in self._workers], TICK_SECONDS)
            for worker in [worker for worker in self._workers if worker.line in ready]:
                yield from self._hear(worker, again)
            tick()

    def _hear(self, worker: _Worker[Task], again: deque[Task]) -> Iterator[tuple[Task, Result | Lost]]:
        try:
            kind, content = worker.line.recv()
        except (EOFError, OSError):
            kind, content = "gone", ""
        if kind == "refused":
            raise WorkerRefused(content)
        if kind == "ready":
            worker.ready = True
        elif kind == "done":
            yield worker.tasks.popleft(), content
        elif kind == "failed":
            yield from self._try_again(worker.tasks.popleft(), content, again)
        else:
            self._workers.remove(worker)
            worker.line.close()
            worker.process.join()
            if not worker.ready:
                raise WorkerRefused(f"a worker ended as it started, with status {worker.process.exitcode}")
            if worker.tasks:
                said = f"the process that graded it ended with status {worker.process.exitcode}"
                yield from self._try_again(worker.tasks.popleft(), said, again)
            again.extend(worker.tasks)
            self._start()

    def _try_again(self, task: Task, said: str, again: deque[Task]) -> Iterator[tuple[Task, Lost]]:
        if task in self._retried:
            yield task, Lost(said)
        else:
            self._retried.add(task)
            again.append(task)

    def __enter__(self) -> "Pool[Task, Result]":
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers at once, and what they are doing."""
        for worker in self._workers:
            worker.line.close()
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
        self._workers.clear()


def _serve(
    line: Connection,
    others: list[Connection],
    make: Callable[[], Callable[[Any], Any]],
    processors: set[int],
) -> None:
    os.sched_setaffinity(0, processors)
    for other in others:
        other.close()
    # A person's Ctrl-C is for the process that holds the gradebook.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        work = make()
    except Exception as error:  # noqa: BLE001 - it is told where a person reads it
        with suppress(OSError):
            line.send(("refused", str(error)))
        return
    # All that is here stays to the end: looking through it again and again would find nothing to collect.
    gc.collect()
    gc.freeze()
    with suppress(EOFError, OSError):
        line.send(("ready", None))
        while True:
            task = line.recv()
            try:
                said = ("done", work(task))
            except Exception:  # noqa: BLE001 - a fault of the grader's own ends no run
                said = ("failed", traceback.format_exc())
            line.send(said)


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))
