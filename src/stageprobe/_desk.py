"""The probe's end of the conversation with the judge: hands an object over and answers questions about it."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import FrameType
from typing import Any

from torch import nn

from stageprobe import _module
from stageprobe._call import Interrupted, Raised, Returned, call, cell_of, raised
from stageprobe._codec import MAX_TENSOR_BYTES, decode, encode
from stageprobe._interrupts import on_interrupt
from stageprobe._watch import noticing, seen, watched
from stageprobe._wire import Channel, WireError


class Desk:
    """Answers the judge's questions about one object after another, over one channel.

    The judge, when its deadline for an answer has passed, interrupts the process and sends ``stop``; whatever
    the interrupt met, ``stopped`` comes back once, and what was sent before it is void.
    """

    def __init__(self, channel: Channel, answer_bytes: int = MAX_TENSOR_BYTES) -> None:
        self._channel = channel
        self._answer_bytes = answer_bytes
        self._interrupted = False
        self._owner = os.getpid()
        # What was handed over stays alive, so that its identity is never another's.
        self._handed: list[object] = []

    def answer(self, stage: str, handed: object) -> Mapping[str, Any]:
        """Hand ``handed`` over for ``stage``; returns the judge's closing header when it has no more questions.

        Raises ``RuntimeError`` in a process that a cell forked: the judge listens to one alone.
        """
        if os.getpid() != self._owner:
            raise RuntimeError(
                "answer() was called in a process that a cell forked; call it in the notebook's own"
            )
        self._handed.append(handed)
        self._interrupted = False
        with on_interrupt(self._note_interrupt):
            self._channel.send(_offer(stage, handed))
            closing = self._converse(handed)
        if self._interrupted:
            # It was meant for the cell.
            raise KeyboardInterrupt
        return closing

    def _note_interrupt(self, signum: int, frame: FrameType | None) -> None:
        self._interrupted = True

    def _converse(self, handed: Any) -> Mapping[str, Any]:
        while True:
            frame = self._channel.receive()
            asked = frame.header.get("value")
            questions = decode(asked, frame.payload).value if asked is not None else ()
            # Both cost time, and are asked for only where something is to be learned by them.
            notice, watch = frame.header.get("notice") is True, frame.header.get("watch") is True
            match frame.header.get("do"):
                case "call":
                    self._each(questions, lambda asked, notice=notice: _call(handed, asked, notice))  # type: ignore[misc]
                case "forward":
                    self._each(
                        questions,
                        lambda asked, notice=notice, watch=watch: _forward(handed, asked, notice, watch),  # type: ignore[misc]
                    )
                case "parameters":
                    self._each(questions, lambda asked: _parameters(handed, asked))
                case "stop":
                    self._interrupted = False
                    self._channel.send({"is": "stopped"})
                case "close":
                    return frame.header
                case other:
                    raise WireError(f"the judge asked for {other!r}")

    def _each(self, questions: Any, put: Callable[[Any], Returned | Raised]) -> None:
        """Put each question; after one that was interrupted, the rest are let be."""
        with _unheard():
            for asked in questions:
                header, payload = self._outcome(put, asked)
                self._channel.send(header, payload)
                if self._interrupted:
                    return

    def _outcome(self, put: Callable[[Any], Returned | Raised], asked: Any) -> tuple[dict[str, Any], bytes]:
        seen: Mapping[str, object] | None = None
        try:
            with on_interrupt(_raise_interrupted):
                if not self._interrupted:
                    return _told(_put(put, asked), self._answer_bytes)
        except Interrupted as stopped:
            self._interrupted = True
            seen = stopped.seen
        spec, payload = encode({"value": None, **(seen or {})}, self._answer_bytes)
        return {"is": "outcome", "came": "interrupted", "value": spec}, payload


def _put(put: Callable[[Any], Returned | Raised], asked: Any) -> Returned | Raised:
    try:
        return put(asked)
    except Exception as error:  # noqa: BLE001 - a student's object may raise where it is only looked at
        return raised(error)


def _told(outcome: Returned | Raised, most: int) -> tuple[dict[str, Any], bytes]:
    if isinstance(outcome, Raised):
        return {"is": "outcome", "came": "raised", **vars(outcome)}, b""
    spec, payload = encode({"value": outcome.value, **outcome.extra}, most)
    return {"is": "outcome", "came": "returned", "changed": outcome.changed, "value": spec}, payload


def _call(function: Any, asked: Mapping[str, Any], notice: bool) -> Returned | Raised:
    if not notice:
        return call(function, asked)
    outcome, called = noticing(lambda: call(function, asked))
    return _with(outcome, called=called)


def _forward(kind: Any, asked: Mapping[str, Any], notice: bool, watch: bool) -> Returned | Raised:
    """Build a module, give it its weights, call it; what it called, or made on the way, goes along.

    Where there is something to call it with ``before``, that comes first, with the weights it was built with: what
    a layer keeps from a call shows in the next one.
    """
    made, failure, _ = _module.build(kind, asked["build"])
    if made is None:
        assert failure is not None
        return failure
    if asked["before"]:
        _module.forward(made, asked["before"])
    extra: dict[str, object] = {"unset": tuple(_module.set_weights(made, asked["weights"], asked["biases"]))}
    if watch:
        seeing = watched(kind)
        try:
            outcome = _module.forward(made, asked["inputs"], seeing)
        except Interrupted as stopped:
            stopped.seen = {**extra, **seen(seeing)}
            raise
        steady = _module.gives_the_same_again(made, asked["inputs"], outcome)
        extra |= {**seen(seeing), "called": tuple(seeing.called), "steady": steady}
    elif notice:
        outcome, extra["called"] = noticing(lambda: _module.forward(made, asked["inputs"]))
    else:
        outcome = _module.forward(made, asked["inputs"])
    return _with(outcome, **extra)


def _with(outcome: Returned | Raised, **extra: object) -> Returned:
    """The outcome with what goes along; what was made before it raised still shows where it went wrong."""
    if isinstance(outcome, Raised):
        return Returned(None, extra={**extra, "raised": vars(outcome)})
    return Returned(outcome.value, outcome.changed, {**outcome.extra, **extra, "raised": None})


def _parameters(kind: Any, asked: Mapping[str, Any]) -> Returned | Raised:
    made, failure, without_base = _module.build(kind, asked["build"], asked["seed"])
    if made is None or without_base:
        assert failure is not None
        return failure
    weights = tuple(asked["weights"])
    start = _module.starting_values(made, weights)
    _module.set_weights(made, asked["weights"], asked["biases"])
    return _module.parameters_report(made, weights, asked["inputs"] if asked["run"] else None, start)


def _offer(stage: str, handed: object) -> dict[str, Any]:
    return {
        "is": "offer",
        "stage": stage[:200],
        "form": _form(handed),
        "type": type(handed).__qualname__[:200],
        # Several stages may be handed one and the same class; it need not be asked again for each.
        "identity": id(handed),
        "cell": cell_of(handed),
    }


def _form(handed: object) -> str:
    if isinstance(handed, type) and issubclass(handed, nn.Module):
        return "module"
    return "callable" if callable(handed) else "other"


def _raise_interrupted(signum: int, frame: FrameType | None) -> None:
    raise Interrupted


@contextmanager
def _unheard() -> Iterator[None]:
    """What a student's function prints is for the student's own runs of it, not for the judge's many."""
    with open(os.devnull, "w") as void, redirect_stdout(void), redirect_stderr(void):
        yield
