"""Judges student code in this very process: judge and probe talk over a socket, as they do across the wall."""

import socket
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stagegrade.diagnosis import StageVerdict, first_divergence
from stagegrade.judge import Judge, Offer
from stagegrade.pipelines import Pipeline
from stageprobe._desk import Desk
from stageprobe._wire import Channel, Frame


class _Line:
    """The judge's end. Code measured here is this project's own: it is not interrupted."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        self._channel.send(header, payload)

    def receive(self, deadline: float) -> Frame:
        return self._channel.receive(deadline=deadline)

    def interrupt(self) -> None:
        raise RuntimeError("code of the benchmark did not return in time")

    def end(self) -> None:
        self._channel.close()


@dataclass(frozen=True, kw_only=True)
class Graded:
    verdicts: Mapping[str, StageVerdict]
    seconds: float
    """Processor time of judge and probe together, from the first question to the last verdict."""

    @property
    def first(self) -> str | None:
        """The first divergence, never a carried one."""
        return first_divergence(list(self.verdicts.values()))


def graded(pipeline: Pipeline, code: str, functions: Mapping[str, str], seed: int = 7) -> Graded:
    """Run ``code``, hand over what it defines for each stage in ``functions``, and judge it.

    ``functions`` gives the name of the function, or class, for each stage that is to be asked. Raises what the
    code itself raises when it is run.
    """
    namespace: dict[str, Any] = {"__name__": "student"}
    exec(compile(code, "<student>", "exec"), namespace)  # noqa: S102 - this project's own sample code
    offered = [(s.name, namespace.get(functions[s.name])) for s in pipeline.asked if s.name in functions]
    began = time.process_time()
    verdicts = hear(Judge(pipeline, seed, call_timeout=60.0), [(n, h) for n, h in offered if h is not None])
    seconds = time.process_time() - began
    return Graded(verdicts={found.stage: found for found in verdicts}, seconds=seconds)


def hear(judge: Judge, offered: Sequence[tuple[str, object]]) -> list[StageVerdict]:
    """The judge's verdicts on objects handed over for stages, in pipeline order."""
    ours, theirs = socket.socketpair()
    failed: list[BaseException] = []

    def probe() -> None:
        desk = Desk(Channel(theirs))
        try:
            for stage, handed in offered:
                desk.answer(stage, handed)
        except BaseException as error:  # noqa: BLE001 - told to whoever waits for the verdicts
            failed.append(error)
            theirs.close()

    thread = threading.Thread(target=probe)
    thread.start()
    channel = Channel(ours)
    line = _Line(channel)
    try:
        for _ in offered:
            offer = Offer.read(channel.receive(deadline=time.monotonic() + 60.0).header)
            judge.hear(offer, line)
            line.send({"do": "close"})
    finally:
        ours.close()
        thread.join(10.0)
        theirs.close()
    if failed:
        raise failed[0]
    return judge.verdicts
