"""Asks a probe and understands its answers."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from stagegrade.diagnosis import Answered, Failed, Lost, Outcome, TimedOut
from stageprobe._codec import decode, encode
from stageprobe._wire import DeadlinePassed, Frame, PeerGone, WireError

GRACE_SECONDS = 1.0
MAX_TEXT = 500
MAX_TEXTS = 16


class Link(Protocol):
    """A line to the process that a submission runs in. Its room gives one to the judge for each offer."""

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None: ...

    def receive(self, deadline: float) -> Frame:
        """The next frame that is not a cell's output. Raises ``DeadlinePassed`` and ``WireError``."""
        ...

    def interrupt(self) -> None:
        """Ask the running code to stop, as a keyboard interrupt does."""
        ...

    def end(self) -> None:
        """End the process at once."""
        ...


class Probe:
    """What the judge asks. Whatever comes back, or does not, is an outcome; nothing is raised."""

    def __init__(self, link: Link, call_timeout: float) -> None:
        self._link = link
        self._timeout = call_timeout
        self._gone = False
        self.broken = ""
        """What is wrong with what came, where that was nothing that a probe sends."""

    def ask(
        self,
        do: str,
        questions: Sequence[dict[str, Any]],
        *,
        notice: bool = False,
        watch: bool = False,
        seconds: float | None = None,
    ) -> list[Outcome]:
        """One outcome for each question; once one ran out of time, those after it count as that too.

        With ``notice`` an outcome tells which calls were made, and with ``watch`` which tensors were; ``seconds`` is
        the time for each where that is not the usual.
        """
        timeout = self._timeout if seconds is None else min(seconds, self._timeout)
        if not questions:
            return []
        outcomes: list[Outcome] = []
        if not self._gone:
            spec, payload = encode(tuple(questions))
            try:
                self._link.send({"do": do, "value": spec, "notice": notice, "watch": watch}, payload)
                outcomes.extend(self._outcomes(len(questions), timeout))
            except WireError as error:
                self.broken = "" if isinstance(error, PeerGone) else str(error)
                # A broken frame is the probe's end too: nothing after it can be trusted to be one.
                self._gone = True
                self._link.end()
        last: Outcome = Lost()
        if outcomes and isinstance(outcomes[-1], TimedOut):
            last = outcomes[-1]
        return outcomes + [last] * (len(questions) - len(outcomes))

    def _outcomes(self, count: int, timeout: float) -> Iterator[Outcome]:
        for _ in range(count):
            try:
                outcome = self._read(self._link.receive(time.monotonic() + timeout))
            except DeadlinePassed:
                outcome = self._stop()
            yield outcome
            if isinstance(outcome, TimedOut):
                return

    def _stop(self) -> TimedOut:
        """Interrupt the call that does not return.

        What comes before the word that it stopped is void, but for what the interrupted call had made.
        """
        self._link.interrupt()
        deadline = time.monotonic() + GRACE_SECONDS
        outcome = TimedOut(self._timeout)
        try:
            self._link.send({"do": "stop"})
            while (frame := self._link.receive(deadline)).header.get("is") != "stopped":
                if frame.header.get("came") == "interrupted":
                    outcome = self._interrupted(frame)
        except (DeadlinePassed, WireError):
            self._gone = True
            self._link.end()
        return outcome

    def _interrupted(self, frame: Frame) -> TimedOut:
        return TimedOut(self._timeout, _extra(decode(frame.header.get("value"), frame.payload).value))

    def _read(self, frame: Frame) -> Outcome:
        header = frame.header
        if header.get("is") != "outcome":
            raise WireError("expected an outcome")
        if header.get("came") == "interrupted":
            return self._interrupted(frame)
        if header.get("came") == "raised":
            return failed(header)
        decoded = decode(header.get("value"), frame.payload)
        extra = _extra(decoded.value)
        if extra.get("raised") is not None:
            return failed(extra["raised"], extra)
        return Answered(decoded.value["value"], tuple(decoded.was), texts(header.get("changed")), extra)


def _extra(found: Any) -> dict[str, Any]:
    """What goes along with an outcome's value."""
    if not isinstance(found, dict) or "value" not in found:
        raise WireError("an outcome without a value")
    return {key: value for key, value in found.items() if key != "value"}


def failed(described: Any, extra: dict[str, Any] | None = None) -> Failed:
    """What raised, from the probe's description of it, of which only text within bounds is taken."""
    if not isinstance(described, dict):
        raise WireError("an error's description is malformed")
    error, message, cell, source = (text(described.get(k)) for k in ("error", "message", "cell", "source"))
    line = described.get("line")
    return Failed(
        error=error or "an error without a name",
        message=message,
        cell=cell,
        line=line if type(line) is int and 0 < line < 1 << 31 else None,
        source=source,
        out_of_memory=described.get("out_of_memory") is True,
        extra=extra or {},
    )


def text(found: Any) -> str:
    """A text off the wire, within bounds; "" for anything else."""
    return found[:MAX_TEXT] if isinstance(found, str) else ""


def texts(found: Any, most: int = MAX_TEXTS) -> tuple[str, ...]:
    """The texts of a list, as far as it is one, within bounds."""
    items = found[:most] if isinstance(found, (list, tuple)) else ()
    return tuple(text(item) for item in items if isinstance(item, str))
