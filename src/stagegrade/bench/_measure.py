"""What a command costs: its time, and that of every process it left to itself."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stageprobe._kernel import PR_SET_CHILD_SUBREAPER, prctl

LEFT_SECONDS = 10.0
END_SECONDS = 5.0


@dataclass(frozen=True)
class Cost:
    """Seconds; ``peak`` is the largest process's resident memory in bytes, ``left`` counts processes left behind."""

    wall: float
    cpu: float
    peak: int
    left: int


class CommandFailed(Exception):
    """A measured command did not end as it should; its own words follow."""


def measure(command: Sequence[str], cwd: Path, statuses: Sequence[int] = (0,)) -> Cost:
    """What it costs to ``run`` it.

    This process adopts what the command's processes leave behind, so that their time is counted too.
    """
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    try:
        run(command, cwd, statuses)
    finally:
        wall = time.perf_counter() - began
        left = _await_orphans()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, after.ru_maxrss * 1024, left)


def run(command: Sequence[str], cwd: Path, statuses: Sequence[int] = (0,)) -> None:
    """Run ``command`` to its end. Raises ``CommandFailed`` for another exit status than ``statuses``."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    with subprocess.Popen(
        list(command),
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            said, _ = process.communicate()
        except BaseException:
            # It leaves nothing behind where it is given the time to end in order.
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_SECONDS)
            process.kill()
            raise
    if process.returncode not in statuses:
        told = said[-4000:].decode("utf-8", "replace")
        raise CommandFailed(f"{' '.join(command)} ended with {process.returncode}\n{told}")


def _await_orphans() -> int:
    """Until all are gone; how many are not, after a while."""
    deadline = time.monotonic() + LEFT_SECONDS
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0
        if pid == 0:
            time.sleep(0.02)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return len(children.split())
