"""A Dask cluster of this machine's own, for timing: a scheduler, and workers that grade one submission at a time."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from stageprobe._kernel import PR_SET_PDEATHSIG, prctl

START_SECONDS = 120.0


@dataclass(frozen=True)
class LocalCluster:
    address: str
    processes: Sequence[subprocess.Popen[bytes]]

    @contextmanager
    def still(self) -> Iterator[None]:
        """It takes no processor's time: idle it takes a twelfth of one's, from whatever is timed beside it."""
        try:
            self._signal(signal.SIGSTOP)
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for process in self.processes:
            process.send_signal(number)


@contextmanager
def local_cluster(folder: Path, workers: int) -> Iterator[LocalCluster]:
    """It runs in the ``with`` block. Raises ``TimeoutError`` where it does not start.

    It ends with this process, however that does.
    """
    known = folder / "scheduler.json"
    started: list[subprocess.Popen[bytes]] = []
    with ExitStack() as running:

        def start(*words: str) -> None:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, "--no-dashboard"],
                cwd=folder,
                # Killed, they take away none of the folders that they made.
                env={**os.environ, "DASK_TEMPORARY_DIRECTORY": str(folder), "TMPDIR": str(folder)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - no thread of this process holds a lock
            )
            started.append(process)
            running.callback(process.wait)
            running.callback(process.kill)

        start("scheduler", "--host=127.0.0.1", "--port=0", f"--scheduler-file={known}")
        deadline = time.monotonic() + START_SECONDS
        while not (known.exists() and known.read_text(encoding="utf-8").endswith("}")):
            if time.monotonic() > deadline:
                raise TimeoutError("the Dask scheduler did not start")
            time.sleep(0.05)
        address = str(json.loads(known.read_text(encoding="utf-8"))["address"])
        for number in range(workers):
            start(
                "worker", address, "--nthreads=1", "--no-nanny", f"--local-directory={folder / str(number)}"
            )
        yield LocalCluster(address, started)


def _end_with_parent() -> None:
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
