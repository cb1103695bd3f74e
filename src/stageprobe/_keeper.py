"""A keeper: the process that forks one submission after another, and keeps each while it runs.

Its line is a SEQPACKET socket. A message that carries a file, the socket that the submission's process is to be
spoken to by, asks for a submission; others are for the one that runs. What it answers, ``Kept`` says.
"""

import json
import os
import shutil
import signal
import socket
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from stageprobe import _kernel, _walls
from stageprobe._kept import MAX_MESSAGE, Kept
from stageprobe._limits import Limits, Used, lower, threads_of_user
from stageprobe._task import Task
from stageprobe._wake import wake_on_signals
from stageprobe._walls import Walls
from stageprobe._wire import Channel

_NICE = 10


class Keeper:
    """Made in the warm process; each fork of it that ``start`` makes is a keeper."""

    def __init__(self, task: Task, used: Used, session: Any) -> None:
        self._task = task
        self._used = used
        self._session = session
        self._spaces = task.walls == Walls.NAMESPACES
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY) if self._spaces else -1
        self._enclosed = False
        self._last_number = -1

    def start(self, line: int) -> None:
        """Fork a keeper that serves the socket ``line``."""
        pid = _walls.new_process_namespace(self._own) if self._spaces else os.fork()
        if pid == 0:
            self._serve(line)

    def _serve(self, descriptor: int) -> NoReturn:
        """Fork and keep submissions until the line is closed."""
        code = 1
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            _walls.keep_only([descriptor])
            line = socket.socket(fileno=descriptor)
            _kernel.prctl(_kernel.PR_SET_CHILD_SUBREAPER, 1)
            wake = wake_on_signals()
            while True:
                message, channels, _, _ = socket.recv_fds(line, MAX_MESSAGE, 1)
                if not message:
                    break
                # Without a file it is a word to a submission that had ended before it came.
                if channels:
                    self._keep(json.loads(message), Channel(socket.socket(fileno=channels[0])), line, wake)
            code = 0
        finally:
            # Never back into the warm process's own loop, whatever happened.
            os._exit(code)

    def _keep(self, request: dict[str, Any], channel: Channel, line: socket.socket, wake: int) -> None:
        """Fork a submission, and keep it to its end."""
        os.sched_setaffinity(0, request["processors"])
        limits = Limits(**request["limits"])
        made = None
        try:
            try:
                if self._spaces:
                    self._enclose()
                else:
                    made = tempfile.mkdtemp(prefix="submission-")
                pid = os.fork()
            except Exception as error:
                _refuse(channel, error)
                raise
            if pid == 0:
                self._become_submission(request["env"], limits, made or self._task.scratch, channel)
            channel.close()
            Kept(pid, line, limits, self._used, made).keep(wake)
        finally:
            if made is not None:
                # Of folders that nest too deep for it, what is left is left.
                with suppress(RecursionError):
                    shutil.rmtree(made, ignore_errors=True)

    def _enclose(self) -> None:
        if not self._enclosed:
            # Not every kernel has it.
            with suppress(OSError):
                self._last_number = os.open("/proc/sys/kernel/ns_last_pid", os.O_WRONLY)
            _walls.enclose()
            self._enclosed = True
        if self._last_number >= 0:
            # What a cell shows of its process's number is to be the same whoever came before.
            os.pwrite(self._last_number, b"1", 0)

    def _become_submission(
        self, environment: dict[str, str], limits: Limits, scratch: str, channel: Channel
    ) -> NoReturn:
        code = 1
        task = self._task
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _walls.keep_only([channel.fileno()])
            os.setsid()
            self._session.listen(channel, limits)
            try:
                if self._spaces:
                    _walls.furnish(limits, scratch)
                    _walls.become_student(task.user)
                    lower(limits, self._used, others=0)
                else:
                    # The kernel counts all that this user runs; and the keeper must come to its turn beside a crowd.
                    lower(limits, self._used, others=threads_of_user())
                    os.nice(_NICE)
                if task.walls != Walls.NONE:
                    _walls.shut(task.walls, scratch, task.readable)
                _settle(scratch, environment)
            except Exception as error:
                _refuse(channel, error)
                raise
            self._session.serve(channel)
            code = 0
        finally:
            os._exit(code)


def _settle(scratch: str, environment: dict[str, str]) -> None:
    """A working directory and a home; what is there to be found of the system is its own."""
    for name in ("work", "home"):
        Path(scratch, name).mkdir()
    os.chdir(f"{scratch}/work")
    os.environ.pop("PWD", None)
    os.environ.update({"HOME": f"{scratch}/home", "TMPDIR": scratch, **environment})
    tempfile.tempdir = None


def _refuse(channel: Channel, error: Exception) -> None:
    with suppress(Exception):
        channel.send({"is": "refused", "why": f"{type(error).__name__}: {error}"[:1000]})
