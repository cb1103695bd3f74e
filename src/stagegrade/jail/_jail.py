"""One submission's process, as the trusted side holds it."""

import json
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from stagegrade.jail import _files
from stagegrade.jail._output import Flood, Output, Room, checked_reply, texts
from stageprobe._kept import MAX_MESSAGE, Why
from stageprobe._limits import Limits
from stageprobe._wire import Channel, DeadlinePassed, Frame, PeerGone, WireError, json_object

INTERRUPT_GRACE = 2.0
END_SECONDS = 10.0


class Ended(StrEnum):
    """How a cell's run came to its end."""

    DONE = "done"
    TIMED_OUT = "timed_out"
    """Interrupted at its timeout; the process goes on."""
    FLOODED = "flooded"
    """Interrupted because it printed without end; the process goes on."""
    KILLED = "killed"
    """It did not heed the interruption; the process is gone."""
    DIED = "died"
    """The process ended by itself, or broke the wire."""
    OUT_OF_MEMORY = "out_of_memory"
    OUT_OF_CPU = "out_of_cpu"
    OUT_OF_TIME = "out_of_time"
    """The whole notebook took longer than it may."""
    TOO_MANY_PROCESSES = "too_many_processes"
    SCRATCH_FULL = "scratch_full"

    @property
    def gone(self) -> bool:
        """Whether the process is gone, and no cell can run after this one."""
        return self not in (Ended.DONE, Ended.TIMED_OUT, Ended.FLOODED)


_BY_LIMIT = {
    Why.MEMORY: Ended.OUT_OF_MEMORY,
    Why.CPU: Ended.OUT_OF_CPU,
    Why.TIME: Ended.OUT_OF_TIME,
    Why.PROCESSES: Ended.TOO_MANY_PROCESSES,
    Why.SCRATCH: Ended.SCRATCH_FULL,
}


@dataclass
class CellRun:
    """What came of running a cell: what it showed, and the content of its execute reply."""

    output: Output = field(default_factory=Output)
    reply: dict[str, Any] | None = None
    ended: Ended = Ended.DONE
    replaced: tuple[str, ...] = ()
    """What the process itself says was replaced of that which tests rely on."""
    broken: str = ""
    """What is wrong with what it sent, where that was nothing that a probe sends."""


OnOffer = Callable[[dict[str, Any], "Jail"], None]
"""Called with an offer's header; speaks with the probe through the jail, and closes."""


class Jail:
    """A forked process that runs one notebook's cells. ``alive`` until it died or was ended.

    ``line`` is that of its keeper; ``release`` is called with it when the keeper has said that this process ended.
    """

    def __init__(
        self, channel: Channel, line: socket.socket, limits: Limits, release: Callable[[socket.socket], None]
    ) -> None:
        self.alive = True
        self.limits = limits
        self.limit: Ended | None = None
        """The limit at which it was ended, once it was."""
        self.cpu_seconds = 0.0
        self.memory_bytes = 0
        """What it used, known once it has ended: processor time, and the most resident memory at a time."""
        self._channel = channel
        self._line = line
        self._release = release
        self._over = False
        self._run = CellRun()
        self._room = Room(limits.cell_output_bytes, limits.notebook_output_bytes)
        self._judging = False

    def put_files(self, folder: Path) -> None:
        """Give it a copy of the files in ``folder`` to work beside; half of its scratch is left free."""
        try:
            for name, data in _files.pieces(folder, self.limits.scratch_bytes // 2):
                self._channel.send({"do": "put", "name": name}, data, deadline=time.monotonic() + END_SECONDS)
        except (WireError, DeadlinePassed):
            self.end()

    def run_cell(
        self, code: str, cell_id: str, timeout: float | None, on_offer: OnOffer, *, quiet: bool = False
    ) -> CellRun:
        """Run one cell, for ``timeout`` seconds from its beginning; the time of ``on_offer`` does not count.

        ``quiet``: outside of the notebook, whose history does not have it and whose room it does not take.
        """
        self._run = run = CellRun(Output(Room() if quiet else self._room))
        if not self.alive:
            run.ended = Ended.DIED
            return run
        left, waiting = timeout, True
        try:
            self.send({"do": "run", "cell": cell_id, "quiet": quiet}, code.encode("utf-8", "replace"))
            while True:
                began = time.monotonic()
                frame = self.receive(began + left if left is not None else None)
                if left is not None:
                    left -= time.monotonic() - began
                match frame.header.get("is"):
                    case "began" if waiting:
                        # Only from here on is an interrupt heard.
                        left, waiting = timeout, False
                    case "done":
                        run.reply = checked_reply(json_object(frame.payload))
                        run.replaced = texts(frame.header.get("replaced"))
                        return run
                    case "offer":
                        self._judging = True
                        try:
                            on_offer(frame.header, self)
                        finally:
                            self._judging = False
                    case other:
                        raise WireError(f"{str(other)[:100]!r} is no part of running a cell")
        except DeadlinePassed:
            self._stop(run, Ended.TIMED_OUT)
        except Flood:
            self._stop(run, Ended.FLOODED)
        except WireError as error:
            run.broken = _broken(error)
            self.end()
            run.ended = self.limit or Ended.DIED
        return run

    def _stop(self, run: CellRun, ended: Ended) -> None:
        self.interrupt()
        deadline = time.monotonic() + INTERRUPT_GRACE
        try:
            while True:
                with suppress(Flood):
                    frame = self.receive(deadline)
                    if frame.header.get("is") == "offer":
                        # It came too late to be heard; let it go on to where it is interrupted.
                        self.send({"do": "close"})
                    if frame.header.get("is") == "done":
                        run.reply = checked_reply(json_object(frame.payload))
                        run.ended = ended
                        return
        except (DeadlinePassed, WireError) as error:
            run.broken = _broken(error)
            self.end()
            run.ended = self.limit or Ended.KILLED

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        try:
            self._channel.send(header, payload, deadline=time.monotonic() + INTERRUPT_GRACE)
        except DeadlinePassed:
            raise PeerGone("it does not read what it is sent") from None

    def receive(self, deadline: float | None) -> Frame:
        """The next frame that is not output of the running cell, which is kept."""
        while True:
            frame = self._channel.receive(deadline=deadline)
            if frame.header.get("is") != "iopub":
                return frame
            self._keep(frame)
            # A process that never stops printing must not hold the deadline off.
            if deadline is not None and time.monotonic() > deadline:
                raise DeadlinePassed

    def _keep(self, frame: Frame) -> None:
        # What is shown while the judge asks is of the questions, not of the cell.
        if not self._judging:
            self._run.output.add(frame.header.get("type"), frame.payload, frame.header.get("left_out"))

    def interrupt(self) -> None:
        """As a keyboard interrupt: for the running code, and for what it waits for.

        On return it has reached them; later it might meet the cell or the question that comes next.
        """
        if self.alive:
            with suppress(OSError):
                self._line.send(b"interrupt")
            self._hear("interrupted", INTERRUPT_GRACE)

    def end(self) -> None:
        """End the process and all that it started, and wait until nothing of it is left; safe to call twice."""
        if not self.alive:
            return
        self.alive = False
        self._channel.close()
        with suppress(OSError):
            self._line.send(b"end")
        self._hear("ended", END_SECONDS)
        if self._over:
            self._release(self._line)
        else:
            self._line.close()

    def _hear(self, what: str, seconds: float) -> None:
        """Wait for a word of the keeper's, which runs no code of the submission's. Its last one is kept."""
        self._line.settimeout(seconds)
        said = None
        while said not in (what, "ended") and not self._over:
            try:
                message = self._line.recv(MAX_MESSAGE)
            except ConnectionResetError:
                # It ended with a word of ours unread. The kernel says that once, before what it said last.
                continue
            except OSError:
                return
            if not message:
                return
            told = json.loads(message)
            said = told["is"]
            if said == "ended":
                self._over = True
                self.limit = _BY_LIMIT.get(told["why"])
                self.cpu_seconds, self.memory_bytes = float(told["cpu"]), int(told["memory"])


def _broken(error: Exception) -> str:
    """What a frame was broken by; a line that closed, or stayed silent, is not."""
    return str(error)[:200] if isinstance(error, WireError) and not isinstance(error, PeerGone) else ""
