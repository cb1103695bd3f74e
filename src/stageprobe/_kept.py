"""One submission as its keeper has it: held to its limits, and ended with all that it started.

The keeper takes in what the submission's processes leave behind. Where it is the first process of a namespace the
kernel ends with one call all that is there besides.
"""

import json
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from stageprobe._limits import Limits, Used

POLL_SECONDS = 0.05
MAX_MESSAGE = 1 << 16
_MARGIN_BYTES = 16 << 20
"""Stacks, and pages of libraries that are written to."""
_MAX_SCANNED = 20_000
_TICKS = os.sysconf("SC_CLK_TCK")


class Why:
    """Why a submission's processes ended; what ``ended`` says on the line to the trusted side."""

    ASKED = "asked"
    EXITED = "exited"
    MEMORY = "memory"
    CPU = "cpu"
    TIME = "time"
    PROCESSES = "processes"
    SCRATCH = "scratch"


@dataclass
class _Usage:
    cpu: float = 0.0
    memory: int = 0
    processes: int = 0


class Kept:
    """Watches ``student``, a child process of the keeper's; hears and tells through ``line``.

    ``used`` is the memory that both were forked with. ``scratch`` is a folder whose size has to be watched; ``None``
    where its file system has a bound of its own.
    """

    def __init__(
        self, student: int, line: socket.socket, limits: Limits, used: Used, scratch: str | None
    ) -> None:
        self._student = student
        self._line = line
        self._limits = limits
        self._scratch = scratch
        self._began = time.monotonic()
        # Pages shared with the warm process count as anonymous memory in each of its forks.
        self._shared = used.anonymous
        # What was asked for before the fork may be used after it. One process is to meet the kernel's own bound, which
        # raises in the code that asks, and not to be ended by this one.
        self._memory = limits.memory_bytes + used.reserved + _MARGIN_BYTES
        self._cpu_of_dead = 0.0
        self._peak = _Usage()
        self._status: int | None = None

    def keep(self, wake: int) -> None:
        """Until the submission has ended by itself, by a limit, or because it was asked to.

        ``wake`` can be read after a signal, as that of a child's end is.
        """
        self._reap()
        why = None
        while why is None:
            readable, _, _ = select.select([self._line.fileno(), wake], [], [], POLL_SECONDS)
            if wake in readable:
                os.read(wake, 512)
            self._reap()
            if self._status is not None:
                why = Why.EXITED
            elif self._line.fileno() in readable:
                why = self._hear()
            why = why or self._over()
        self._end_all()
        message = {
            "is": "ended",
            "why": why,
            "status": self._status,
            "cpu": max(self._peak.cpu, self._cpu_of_dead),
            "memory": self._peak.memory,
        }
        with suppress(OSError):
            self._line.send(json.dumps(message).encode())

    def _hear(self) -> str | None:
        try:
            message = self._line.recv(MAX_MESSAGE)
        except OSError:
            message = b""
        if message == b"interrupt":
            # The whole group, as a terminal does: what the code waits for is to stop too.
            with suppress(ProcessLookupError):
                os.killpg(self._student, signal.SIGINT)
            with suppress(OSError):
                self._line.send(b'{"is": "interrupted"}')
            return None
        return Why.ASKED

    def _over(self) -> str | None:
        limits = self._limits
        usage = self._usage()
        self._peak.cpu = max(self._peak.cpu, usage.cpu)
        self._peak.memory = max(self._peak.memory, usage.memory)
        if usage.processes >= limits.processes:
            return Why.PROCESSES
        if usage.memory > self._memory:
            return Why.MEMORY
        if usage.cpu > limits.cpu_seconds:
            return Why.CPU
        if time.monotonic() - self._began > limits.notebook_seconds:
            return Why.TIME
        if self._scratch is not None and _size(self._scratch) > limits.scratch_bytes:
            return Why.SCRATCH
        return None

    def _usage(self) -> _Usage:
        usage = _Usage(cpu=self._cpu_of_dead)
        pids = list(_descendants(os.getpid()))
        for pid in pids:
            with suppress(OSError, ValueError, IndexError):
                fields = _stat(pid)
                usage.processes += int(fields[17])
                usage.cpu += sum(int(ticks) for ticks in fields[11:15]) / _TICKS
                usage.memory += _own_memory(pid, self._shared)
        if usage.memory > self._memory:
            # Several processes share what one of them made; what each has of it is slower to say.
            usage.memory = sum(_proportional_memory(pid) for pid in pids)
        return usage

    def _reap(self) -> None:
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._note(pid, status, used)

    def _note(self, pid: int, status: int, used: resource.struct_rusage) -> None:
        self._cpu_of_dead += used.ru_utime + used.ru_stime
        if pid == self._student:
            self._status = os.waitstatus_to_exitcode(status)

    def _end_all(self) -> None:
        """Kill until nothing is left: what is forked meanwhile comes to the keeper and is found again."""
        with suppress(ChildProcessError):
            while True:
                for pid in [-1] if os.getpid() == 1 else list(_descendants(os.getpid())):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                self._note(*os.wait4(-1, 0))


def _descendants(pid: int) -> Iterator[int]:
    """The processes below one, as far as they can be seen. A process's children are listed by its threads."""
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):  # noqa: PTH208 - twenty times a second
                with (
                    suppress(OSError),
                    open(f"/proc/{parent}/task/{thread}/children", encoding="ascii") as file,
                ):
                    children = [int(child) for child in file.read().split()]
                    yield from children
                    waiting += children


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on; the second may hold spaces and parentheses."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()


def _own_memory(pid: int, shared: int) -> int:
    found = {"RssAnon": 0, "RssShmem": 0, "VmSwap": 0}
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name in found:
                found[name] = int(value.split()[0]) << 10
    return max(0, found["RssAnon"] - shared) + found["RssShmem"] + found["VmSwap"]


def _proportional_memory(pid: int) -> int:
    total = 0
    with suppress(OSError), open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name in ("Pss_Anon", "Pss_Shmem", "SwapPss"):
                total += int(value.split()[0]) << 10
    return total


def _size(folder: str) -> int:
    """Bytes on the disk beneath a folder; a folder of too many entries counts as too big."""
    total, scanned, waiting = 0, 0, [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                scanned += 1
                if scanned > _MAX_SCANNED:
                    return 1 << 62
                with suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return total
