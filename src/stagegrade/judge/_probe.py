"""Asks a probe and understands its answers."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from stagegrade.diagnosis import Answered, Failed, Lost, Outcome, TimedOut
from stageprobe._codec import decode, encode
from stageprobe._wire import DeadlinePassed, Frame, WireError

GRACE_SECONDS = 1.0
MAX_TEXT = 500


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

    def ask(self, do: str, questions: Sequence[dict[str, Any]]) -> list[Outcome]:
        """One outcome for each question; once one ran out of time, those after it count as that too."""
        if not questions:
            return []
        outcomes: list[Outcome] = []
        if not self._gone:
            spec, payload = encode(tuple(questions))
            try:
                self._link.send({"do": do, "value": spec}, payload)
                outcomes.extend(self._outcomes(len(questions)))
            except WireError:
                # A broken frame is the probe's end too: nothing after it can be trusted to be one.
                self._gone = True
                self._link.end()
        last: Outcome = Lost()
        if outcomes and isinstance(outcomes[-1], TimedOut):
            last = outcomes[-1]
        return outcomes + [last] * (len(questions) - len(outcomes))

    def _outcomes(self, count: int) -> Iterator[Outcome]:
        for _ in range(count):
            try:
                frame = self._link.receive(time.monotonic() + self._timeout)
            except DeadlinePassed:
                yield self._stop()
                return
            yield self._read(frame)

    def _stop(self) -> TimedOut:
        self._link.interrupt()
        try:
            self._link.receive(time.monotonic() + GRACE_SECONDS)
        except (DeadlinePassed, WireError):
            self._gone = True
            self._link.end()
        return TimedOut(self._timeout)

    def close(self, panel: dict[str, str] | None = None) -> None:
        """No more questions. ``panel`` is shown under the cell where a person runs it by hand."""
        if self._gone:
            return
        try:
            self._link.send({"do": "close", "panel": panel})
        except WireError:
            self._gone = True

    def _read(self, frame: Frame) -> Outcome:
        header = frame.header
        if header.get("is") != "outcome":
            raise WireError("expected an outcome")
        if header.get("came") == "interrupted":
            return TimedOut(self._timeout)
        if header.get("came") == "raised":
            return failed(header)
        decoded = decode(header.get("value"), frame.payload)
        if not isinstance(decoded.value, dict) or "value" not in decoded.value:
            raise WireError("an outcome without a value")
        extra = {key: value for key, value in decoded.value.items() if key != "value"}
        if extra.get("raised") is not None:
            return failed(extra["raised"], extra)
        changed = header.get("changed")
        names = tuple(str(name)[:MAX_TEXT] for name in changed[:16]) if isinstance(changed, list) else ()
        return Answered(decoded.value["value"], tuple(decoded.was), names, extra)


def failed(described: Any, extra: dict[str, Any] | None = None) -> Failed:
    """What raised, from the probe's description of it, of which only text within bounds is taken."""
    if not isinstance(described, dict):
        raise WireError("an error's description is malformed")

    def text(key: str) -> str:
        return str(described.get(key) or "")[:MAX_TEXT]

    line = described.get("line")
    return Failed(
        error=text("error"),
        message=text("message"),
        cell=text("cell"),
        line=line if isinstance(line, int) else None,
        source=text("source"),
        out_of_memory=described.get("out_of_memory") is True,
        extra=extra or {},
    )
