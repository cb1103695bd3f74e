"""The probe's end of the conversation with the judge: hands an object over and answers questions about it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import FrameType
from typing import Any

from torch import nn

from stageprobe import _module
from stageprobe._call import Interrupted, Raised, Returned, call
from stageprobe._codec import decode, encode
from stageprobe._wire import Channel, WireError


class Desk:
    """Answers the judge's questions about one object after another, over one channel."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def answer(self, stage: str, handed: object) -> Mapping[str, Any]:
        """Hand ``handed`` over for ``stage``; returns the judge's closing header when it has no more questions."""
        self._channel.send(_offer(stage, handed))
        while True:
            frame = self._channel.receive()
            asked = frame.header.get("value")
            question = decode(asked, frame.payload).value if asked is not None else None
            match frame.header.get("do"):
                case "call":
                    self._each(question, lambda asked: call(_callable(handed), asked))
                case "forward":
                    self._each(question, lambda asked: _forward(handed, asked))
                case "parameters":
                    self._each(question, lambda asked: _parameters(handed, asked))
                case "close":
                    return frame.header
                case other:
                    raise WireError(f"the judge asked for {other!r}")

    def _each(self, questions: Any, put: Callable[[Any], Returned | Raised]) -> None:
        """Put each question; after one that had to be interrupted, the rest are let be."""
        for asked in questions:
            try:
                with _interruptible(), _unheard():
                    outcome = put(asked)
            except Interrupted:
                self._channel.send({"is": "outcome", "came": "interrupted"})
                return
            self._tell(outcome)

    def _tell(self, outcome: Returned | Raised) -> None:
        if isinstance(outcome, Raised):
            header = {"is": "outcome", "came": "raised", **vars(outcome)}
            self._channel.send(header)
            return
        spec, payload = encode({"value": outcome.value, **outcome.extra})
        self._channel.send(
            {"is": "outcome", "came": "returned", "changed": outcome.changed, "value": spec}, payload
        )


def _forward(kind: Any, asked: Mapping[str, Any]) -> Returned | Raised:
    """Build a module, give it its weights, call it; what it made on the way goes along."""
    made, failure, _ = _module.build(kind, asked["build"])
    if made is None:
        assert failure is not None
        return failure
    unset = _module.set_weights(made, asked["weights"], asked["biases"])
    outcome, tensors = _module.forward(made, asked["inputs"])
    if isinstance(outcome, Raised):
        # What was made before it raised still shows where it went wrong.
        return Returned(None, extra={"made": tuple(tensors), "unset": tuple(unset), "raised": vars(outcome)})
    return Returned(
        outcome.value, outcome.changed, extra={"made": tuple(tensors), "unset": tuple(unset), "raised": None}
    )


def _parameters(kind: Any, asked: Mapping[str, Any]) -> Returned | Raised:
    made, failure, without_base = _module.build(kind, asked["build"])
    if made is None or without_base:
        assert failure is not None
        return failure
    _module.set_weights(made, asked["weights"], asked["biases"])
    return Returned(_module.parameters_report(made, tuple(asked["weights"]), asked["inputs"]))


def _offer(stage: str, handed: object) -> dict[str, Any]:
    return {
        "is": "offer",
        "stage": stage[:200],
        "form": _form(handed),
        "type": type(handed).__qualname__[:200],
        # Several stages may be handed one and the same class; it need not be asked again for each.
        "identity": id(handed),
    }


def _form(handed: object) -> str:
    if isinstance(handed, type) and issubclass(handed, nn.Module):
        return "module"
    return "callable" if callable(handed) else "other"


def _callable(handed: object) -> Callable[..., object]:
    if not callable(handed):
        raise WireError("the judge asked to call what is not callable")
    return handed


@contextmanager
def _unheard() -> Iterator[None]:
    """What a student's function prints is for the student's own runs of it, not for the judge's many."""
    with open(os.devnull, "w") as void, redirect_stdout(void), redirect_stderr(void):
        yield


@contextmanager
def _interruptible() -> Iterator[None]:
    """Within it, and only there, SIGINT raises ``Interrupted``: never while a frame is half sent."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
