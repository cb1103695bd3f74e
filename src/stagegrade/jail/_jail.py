"""One submission's process, as the trusted side holds it."""

import json
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from stageprobe._wire import Channel, DeadlinePassed, Frame, PeerGone, WireError

INTERRUPT_GRACE = 2.0
MAX_MESSAGES = 10_000
MAX_OUTPUT_BYTES = 16 << 20
"""Of one cell; a kernel's messages beyond it are dropped, and the cell says so."""


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
    """What came of running a cell: the kernel's messages in order, and the content of its execute reply."""

    messages: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    reply: dict[str, Any] | None = None
    ended: Ended = Ended.DONE
    output_cut: bool = False


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
        self._output_bytes = 0
        self._judging = False

    def run_cell(self, code: str, cell_id: str, timeout: float | None, on_offer: OnOffer) -> CellRun:
        """Run one cell; the time that ``on_offer`` takes does not count against ``timeout`` (seconds)."""
        self._run = run = CellRun()
        self._output_bytes = 0
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
                        run.reply = _json_object(frame.payload)
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
                if frame.header.get("is") == "done":
                    run.reply = _json_object(frame.payload)
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
        if self._judging:
            # Shown by the judge's questions, not by the cell.
            return
        self._output_bytes += len(frame.payload)
        if self._output_bytes > MAX_OUTPUT_BYTES or len(self._run.messages) >= MAX_MESSAGES:
            self._run.output_cut = True
            return
        kind = frame.header.get("type")
        if isinstance(kind, str):
            self._run.messages.append((kind[:100], _json_object(frame.payload)))

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


def _json_object(payload: bytes) -> dict[str, Any]:
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise WireError(f"a message is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise WireError("a message is not an object")
    return found
