"""Starts the warm process, and has it fork."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from stagegrade.jail._jail import Jail
from stageprobe._warm import MAX_MESSAGE
from stageprobe._wire import Channel

START_SECONDS = 120.0
FORK_SECONDS = 20.0

# Only what Python and torch need to run; nothing of the instructor's own.
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ", "TMPDIR")


class WarmStartError(Exception):
    """The warm process did not start, or is gone and did not come back."""

    def __init__(self, said: str) -> None:
        super().__init__(
            "the process that runs submissions did not start; `stagegrade doctor` looks for the cause.\n"
            + said
        )
        self.said = said


class WarmProcess:
    """A process with torch and IPython imported, from which each submission's process is forked.

    It starts in the background as soon as this object is made; ``fork`` waits for it. One that broke is
    replaced once.
    """

    def __init__(self, preload: Sequence[str] = ()) -> None:
        self._preload = tuple(preload)
        self._lock = threading.Lock()
        self._start()

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process is
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        environment |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "HOME": tempfile.gettempdir()}
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-m",
                    "stageprobe._warm",
                    str(theirs.fileno()),
                    json.dumps(self._preload),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                env=environment,
                # A person's Ctrl-C is for the trusted side, which decides what ends.
                start_new_session=True,
            )
        self._ready = False
        self._ended: dict[int, int] = {}

    def fork(self, cwd: Path, environment: dict[str, str]) -> Jail:
        """A fresh process for one submission, running in ``cwd``. Raises ``WarmStartError``."""
        with self._lock:
            try:
                return self._fork(cwd, environment)
            except WarmStartError:
                self.close()
                self._start()
                return self._fork(cwd, environment)

    def _fork(self, cwd: Path, environment: dict[str, str]) -> Jail:
        if not self._ready:
            self._hear("ready", START_SECONDS)
            self._ready = True
        ours, theirs = socket.socketpair()
        request = json.dumps({"cwd": str(cwd), "env": environment}).encode()
        with theirs:
            try:
                socket.send_fds(self._control, [request], [theirs.fileno()])
            except OSError as error:
                ours.close()
                raise self._broken() from error
        pid = self._hear("forked", FORK_SECONDS)["pid"]
        return Jail(pid, Channel(ours), self._end)

    def _end(self, pid: int) -> None:
        """Kill a submission's process group and wait until the warm process has seen it end."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with self._lock:
            if pid not in self._ended:
                try:
                    self._hear("ended", FORK_SECONDS, pid)
                except WarmStartError:
                    return
            self._ended.pop(pid, None)

    def _hear(self, what: str, seconds: float, pid: int | None = None) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            readable, _, _ = select.select([self._control], [], [], max(0.0, deadline - time.monotonic()))
            data = self._control.recv(MAX_MESSAGE) if readable else b""
            if not data:
                raise self._broken()
            message: dict[str, Any] = json.loads(data)
            if message["is"] == "ended":
                self._ended[message["pid"]] = message["status"]
            if message["is"] == what and pid in (None, message.get("pid")):
                return message

    def _broken(self) -> WarmStartError:
        self._process.kill()
        self._process.wait()
        self._said.seek(0)
        return WarmStartError(self._said.read()[-4000:].decode("utf-8", "replace"))

    def close(self) -> None:
        """End the warm process and every process forked from it."""
        self._control.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._said.close()
