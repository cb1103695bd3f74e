"""One submission's process, as the trusted side holds it."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from stagegrade.jail._output import Output, checked_reply
from stageprobe._wire import Channel, DeadlinePassed, Frame, PeerGone, WireError, json_object

INTERRUPT_GRACE = 2.0


class Ended(StrEnum):
    """How a cell's run came to its end."""

    DONE = "done"
    TIMED_OUT = "timed_out"
    """Interrupted at its timeout; the process goes on."""
    KILLED = "killed"
    """It did not heed the interruption; the process is gone."""
    DIED = "died"
    """The process ended by itself, or broke the wire."""


@dataclass
class CellRun:
    """What came of running a cell: what it showed, and the content of its execute reply."""

    output: Output = field(default_factory=Output)
    reply: dict[str, Any] | None = None
    ended: Ended = Ended.DONE


OnOffer = Callable[[dict[str, Any], "Jail"], None]
"""Called with an offer's header; speaks with the probe through the jail, and closes."""


class Jail:
    """A forked process that runs one notebook's cells. ``alive`` until it died or was ended."""

    def __init__(self, pid: int, channel: Channel, on_end: Callable[[int], None]) -> None:
        self.pid = pid
        self.alive = True
        self._channel = channel
        self._on_end = on_end
        self._run = CellRun()
        self._judging = False

    def run_cell(self, code: str, cell_id: str, timeout: float | None, on_offer: OnOffer) -> CellRun:
        """Run one cell; the time that ``on_offer`` takes does not count against ``timeout`` (seconds)."""
        self._run = run = CellRun()
        if not self.alive:
            run.ended = Ended.DIED
            return run
        left = timeout
        try:
            self.send({"do": "run", "cell": cell_id}, code.encode())
            while True:
                began = time.monotonic()
                frame = self.receive(began + left if left is not None else None)
                if left is not None:
                    left -= time.monotonic() - began
                match frame.header.get("is"):
                    case "done":
                        run.reply = checked_reply(json_object(frame.payload))
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
            self._stop(run)
        except WireError:
            run.ended = Ended.DIED
            self.end()
        return run

    def _stop(self, run: CellRun) -> None:
        self.interrupt()
        deadline = time.monotonic() + INTERRUPT_GRACE
        try:
            while True:
                frame = self.receive(deadline)
                if frame.header.get("is") == "offer":
                    # It came too late to be heard; let it go on to where it is interrupted.
                    self.send({"do": "close"})
                if frame.header.get("is") == "done":
                    run.reply = checked_reply(json_object(frame.payload))
                    run.ended = Ended.TIMED_OUT
                    return
        except (DeadlinePassed, WireError):
            run.ended = Ended.KILLED
            self.end()

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
            self._run.output.add(frame.header.get("type"), frame.payload)

    def interrupt(self) -> None:
        if self.alive:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGINT)

    def end(self) -> None:
        """End the process and what it started; safe to call twice."""
        if self.alive:
            self.alive = False
            self._on_end(self.pid)
            self._channel.close()
