"""What one submission may use of the machine."""

import os
import resource
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_SPARE_PROCESSES = 8
_SPARE_SECONDS = 10
_SPARE_ADDRESSES = 4 << 30


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of one notebook's run, for all its processes together where nothing else is said."""

    cpu_seconds: float = 300.0
    notebook_seconds: float = 900.0
    memory_bytes: int = 2 << 30
    """Resident, beyond what it shares with the process that it was forked from."""
    processes: int = 64
    """Processes and threads."""
    open_files: int = 256
    """Of one process."""
    file_bytes: int = 64 << 20
    """Of one file."""
    scratch_bytes: int = 256 << 20
    cell_output_bytes: int = 4 << 20
    """Kept of one cell's output; a cell that prints sixteen times as much is stopped."""
    notebook_output_bytes: int = 16 << 20
    """Kept of all cells' output."""
    answer_bytes: int = 32 << 20
    """Of all tensors in one answer to the judge."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def lower(limits: Limits, used: "Used", *, others: int) -> None:
    """Set what the kernel itself can hold a process to. Nothing that it starts can raise it again.

    ``others`` is what else the kernel counts as this user's processes and threads.
    """
    cpu = int(limits.cpu_seconds) + _SPARE_SECONDS
    bounds = {
        resource.RLIMIT_CPU: cpu,
        # Private memory, so that one allocation too many raises MemoryError in the code that made it.
        resource.RLIMIT_DATA: used.data + limits.memory_bytes,
        resource.RLIMIT_AS: used.addresses + 2 * limits.memory_bytes + _SPARE_ADDRESSES,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 1 << 20,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_RTPRIO: 0,
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_SIGPENDING: 1024,
        # A few more than may be: whoever reaches the bound is ended by its keeper, which has to see it.
        resource.RLIMIT_NPROC: others + limits.processes + _SPARE_PROCESSES,
    }
    for which, bound in bounds.items():
        _, hard = resource.getrlimit(which)
        value = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(which, (value, value))


def threads_of_user() -> int:
    """How many threads the processes of this process's user have."""
    count = 0
    with os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdigit():
                with suppress(OSError):
                    if entry.stat().st_uid == os.getuid():
                        # Two of the links are the folder's own.
                        count += Path(entry.path, "task").stat().st_nlink - 2
    return count


@dataclass(frozen=True)
class Used:
    """A process's memory in bytes, as /proc shows it; a fork of it has as much."""

    addresses: int
    data: int
    anonymous: int
    reserved: int
    """Asked for and not touched yet. Not what libraries have: of a build of torch for a graphics card there is much
    that without one is never written to."""

    @classmethod
    def of_this_process(cls) -> "Used":
        found = {"VmSize": 0, "VmData": 0, "RssAnon": 0}
        with open("/proc/self/status", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name in found:
                    found[name] = int(value.split()[0]) << 10
        return cls(found["VmSize"], found["VmData"], found["RssAnon"], _reserved())


def _reserved() -> int:
    found, own = 0, False
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            first, *rest = line.split(maxsplit=5)
            if not first.endswith(":"):
                own = rest[0] == "rw-p" and rest[3] == "0"
            elif own and first == "Size:":
                found += int(rest[0]) << 10
            elif own and first == "Anonymous:":
                found -= int(rest[0]) << 10
    return found
