"""Starts the warm process, and has it fork."""

import json
import os
import select
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from stagegrade.jail import _outer, _system
from stagegrade.jail._jail import Jail
from stagegrade.jail._keepers import Keepers
from stagegrade.jail._refused import WallsRefused, WarmStartError
from stageprobe._limits import Limits
from stageprobe._walls import STUDENT, Readable, Walls
from stageprobe._warm import MAX_MESSAGE
from stageprobe._wire import Channel, DeadlinePassed, PeerGone, WireError

START_SECONDS = 120.0
FORK_SECONDS = 20.0


class WarmProcess:
    """A process with torch and IPython imported, from which each submission's process is forked.

    It starts in the background as soon as this object is made; ``fork`` waits for it. One that broke is
    replaced once. ``fork`` may be called by several threads at a time.

    ``walls`` are what is wanted; ``None`` stands for the best that the machine can build, and never for none.
    ``hide`` and ``show`` are folders, beneath those of Python's that are shown, to hide and others to show.
    """

    def __init__(
        self,
        preload: Sequence[str] = (),
        *,
        walls: Walls | None = None,
        hide: Sequence[Path] = (),
        show: Sequence[Path] = (),
    ) -> None:
        self._preload = tuple(preload)
        self._hide, self._show = tuple(hide), tuple(show)
        self._lock = threading.Lock()
        self._ways = list(_ways(walls))
        self._refused: list[str] = []
        self._start()

    @property
    def walls(self) -> Walls:
        """What stands around a submission; certain once one was forked."""
        return self._ways[0][0]

    def _start(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_MESSAGE)
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process is
        self._home = tempfile.TemporaryDirectory(prefix="warm-", ignore_cleanup_errors=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._keepers = Keepers()
        walls, bubblewrap = self._ways[0]
        user = STUDENT if bubblewrap and _outer.is_root() else 0
        readable = self._readable() if walls == Walls.LANDLOCK else []
        task = {
            "walls": str(walls),
            "user": user,
            "scratch": _system.scratch(_system.shown(self._show)),
            "preload": list(self._preload),
            "readable": [(found.path, found.listed) for found in readable],
        }
        with theirs:
            try:
                self._control.send(json.dumps(task).encode())
                self._process = _outer.start(
                    walls,
                    theirs.fileno(),
                    self._said,
                    self._home.name,
                    bubblewrap=bubblewrap,
                    hide=self._hide,
                    show=self._show,
                )
            except OSError as error:
                self._said.write(str(error).encode())

    def _readable(self) -> list[Readable]:
        shown = _system.shown(self._show)
        secret = _system.hidden(shown, self._hide)
        settings = [Path(name) for name in _system.settings()]
        return list(_system.readable([*shown, _system.PROBE, *settings], secret))

    def prove(self) -> None:
        """Wait until it is certain that submissions can be run. Raises as ``fork`` does."""
        self._asked({}, Limits()).end()

    def fork(self, cwd: Path | None, environment: dict[str, str], limits: Limits | None = None) -> Jail:
        """A fresh process for one submission, with a copy of the files in ``cwd``, if any, to work beside.

        Raises ``WarmStartError``; ``WallsRefused``, which is one, where the walls cannot be built.
        """
        limits = limits or Limits()
        jail = self._asked(environment, limits)
        if cwd is not None:
            jail.put_files(cwd)
        return jail

    def _asked(self, environment: dict[str, str], limits: Limits) -> Jail:
        tries = 2
        while True:
            with self._lock:
                process = self._process
                try:
                    self._await_ready()
                except WarmStartError as error:
                    tries -= 1
                    self._next_way(error, tries)
                    continue
            try:
                return self._fork(environment, limits)
            except WarmStartError as error:
                with self._lock:
                    tries -= 1
                    if process is self._process:
                        self._next_way(error, tries)
                    elif tries <= 0:
                        raise

    def _next_way(self, error: WarmStartError, tries: int) -> None:
        """Start again: the same way, or the next where the walls were refused. Raises ``error`` where none is left."""
        self.close()
        walls, _ = self._ways[0]
        if walls != Walls.NONE and isinstance(error, WallsRefused):
            self._refused.append(f"{walls}: {error.said.strip()}")
            if len(self._ways) == 1:
                raise WallsRefused("\n".join(self._refused)) from error
            del self._ways[0]
        elif tries <= 0:
            raise error
        self._start()

    def _await_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        said = ""
        while not self._ready:
            left = max(0.0, deadline - time.monotonic())
            readable, _, _ = select.select([self._control], [], [], left)
            data = b""
            if readable:
                # Reset where it ended before it read its task.
                with suppress(ConnectionResetError):
                    data = self._control.recv(MAX_MESSAGE)
            if not data:
                error = self._broken()
                # Python runs behind the walls once it has said a word; what fails later is no wall's fault.
                raise error if said else WallsRefused(error.said)
            said = json.loads(data)["is"]
            self._ready = said == "ready"

    def _fork(self, environment: dict[str, str], limits: Limits) -> Jail:
        asked = {
            "env": environment,
            "limits": limits.as_json(),
            # Those of whoever asks: the two take turns, and a turn is taken up sooner where it was left.
            "processors": sorted(os.sched_getaffinity(0)),
        }
        request = json.dumps(asked).encode()
        keepers = self._keepers
        waiting = keepers.take()
        if waiting is not None:
            # It may have been ended or stopped while it waited.
            with suppress(WireError, DeadlinePassed):
                return self._begun(keepers, waiting, request, limits)
        line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                socket.send_fds(self._control, [b"keeper"], [theirs.fileno()])
        except OSError as error:
            line.close()
            raise self._broken() from error
        try:
            return self._begun(keepers, line, request, limits)
        except (WireError, DeadlinePassed) as error:
            raise self._broken() from error

    @staticmethod
    def _begun(keepers: Keepers, line: socket.socket, request: bytes, limits: Limits) -> Jail:
        """Have the keeper at the other end of ``line`` fork a submission. Raises as a ``Channel`` does."""
        ours, theirs = socket.socketpair()
        channel = Channel(ours, max(limits.answer_bytes, limits.cell_output_bytes))
        # The line is the jail's from here on.
        jail = Jail(channel, line, limits, keepers.give)
        try:
            with theirs:
                try:
                    socket.send_fds(line, [request], [theirs.fileno()])
                except OSError as error:
                    raise PeerGone(str(error)) from error
            header = jail.receive(time.monotonic() + FORK_SECONDS).header
        except (WireError, DeadlinePassed):
            jail.end()
            raise
        if header.get("is") != "ready":
            jail.end()
            raise WallsRefused(str(header.get("why")))
        return jail

    def _broken(self) -> WarmStartError:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._said.seek(0)
        return WarmStartError(self._said.read()[-4000:].decode("utf-8", "replace"))

    def close(self) -> None:
        """End the warm process and every process forked from it."""
        self._keepers.close()
        self._control.close()
        if self._process is not None:
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._said.close()
        # As deep as a submission can nest its folders, where there is no file system of its own.
        with suppress(RecursionError):
            self._home.cleanup()


def _ways(walls: Walls | None) -> Iterator[tuple[Walls, str | None]]:
    """The kinds of walls to try in turn, each with the program that builds its outer one."""
    if walls in (None, Walls.NAMESPACES):
        for bubblewrap in _outer.bubblewraps() or [_outer.MISSING]:
            yield Walls.NAMESPACES, bubblewrap
    if walls in (None, Walls.LANDLOCK):
        yield Walls.LANDLOCK, None
    if walls == Walls.NONE:
        yield Walls.NONE, None
