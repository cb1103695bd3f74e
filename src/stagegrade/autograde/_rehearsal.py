"""Puts a mistake of the catalogue before the real judge, as if a student had made it."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from stagegrade.diagnosis import StageVerdict
from stagegrade.judge import CALL_TIMEOUT, Judge, Offer
from stagegrade.pipelines import Mistake, Pipeline, Stage, Value
from stageprobe._call import Raised, Returned, attempt, call
from stageprobe._codec import decode, encode
from stageprobe._wire import Frame


def rehearse(pipeline: Pipeline, mistake: Mistake, seed: int) -> list[StageVerdict]:
    """The judge's verdicts on the stage of ``mistake``, every other stage being right.

    One verdict, or, where the stage is inside ``forward``, one for each of its stages. All in this process: the
    code is the catalogue's own, and no jail is needed for it.
    """
    judge = Judge(pipeline, seed, CALL_TIMEOUT)
    wrong = pipeline.stage(mistake.stage)
    link = _Rehearsal(pipeline, wrong, mistake)
    together = [s for s in pipeline.stages if s.of == "forward"] if wrong.of == "forward" else [wrong]
    form = "callable" if wrong.of == "function" else "module"
    offers = [
        Offer(stage=f"{pipeline.name}.{stage.name}", form=form, type_name=form, identity=0)
        for stage in together
    ]
    return [judge.hear(offer, link) for offer in offers]


class _Rehearsal:
    """The judge's link to what a student with the mistake would have handed over."""

    def __init__(self, pipeline: Pipeline, stage: Stage, mistake: Mistake) -> None:
        self._pipeline = pipeline
        self._stage = stage
        self._mistake = mistake
        self._frames: deque[Frame] = deque()

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        put: Callable[[Any], Returned | Raised] | None = {
            "call": self._call,
            "forward": self._forward,
            "parameters": self._parameters,
        }.get(str(header.get("do")))
        if put is not None:
            self._frames.extend(_frame(put(asked)) for asked in decode(header["value"], payload).value)

    def receive(self, deadline: float) -> Frame:
        return self._frames.popleft()

    def interrupt(self) -> None:
        """Nothing here runs by itself: an answer is there before it is waited for."""

    def end(self) -> None:
        self._frames.clear()

    def _call(self, asked: Mapping[str, Value]) -> Returned | Raised:
        def student(*values: Value) -> Value:
            return self._mistake.output(self._stage, dict(zip(asked, values, strict=True)))

        return call(student, asked)

    def _parameters(self, asked: Mapping[str, Any]) -> Returned | Raised:
        """What the module reports of its weights; its ``forward`` is right, as every other stage is."""
        form = self._pipeline.module
        assert form is not None
        outcome = attempt(lambda: self._mistake.output(self._stage, self._given(asked)))
        if isinstance(outcome, Raised):
            return outcome
        trace = self._given(asked)
        for stage in self._pipeline.inside:
            trace.update(stage.named(stage.reference(**stage.arguments(trace))))
        return Returned(outcome.value, extra={"output": trace[form.result]})

    def _forward(self, asked: Mapping[str, Any]) -> Returned | Raised:
        """What ``forward`` returns with the mistake in it, and what it makes on the way, by the names of the values."""
        form = self._pipeline.module
        assert form is not None
        trace = self._given(asked)
        made: list[tuple[str, Value]] = []

        def run() -> Value:
            for stage in self._pipeline.stages:
                if stage.of == "forward":
                    named = stage.named(self._pipeline.output(stage, trace, [self._mistake]))
                    trace.update(named)
                    made.extend(named.items())
            return trace[form.result]

        outcome = attempt(run)
        failure = vars(outcome) if isinstance(outcome, Raised) else None
        value = None if isinstance(outcome, Raised) else outcome.value
        tensors = tuple(tensor for _, tensor in made)
        seen = {"made": tensors, "named": tuple(made), "unset": ()}
        return Returned(value, extra={**seen, "raised": failure})

    def _given(self, asked: Mapping[str, Any]) -> dict[str, Value]:
        """All that a module knows: its sizes, its weights, and what ``forward`` is given."""
        form = self._pipeline.module
        assert form is not None
        biases = {form.biases[weight]: value for weight, value in asked["biases"].items()}
        tensors = {**asked["weights"], **biases, **asked["inputs"]}
        sizes = dict(zip(form.build, asked["build"], strict=True))
        for name, value in tensors.items():
            # A batch's dimension stands before those that are named.
            named = zip(reversed(self._pipeline.inputs[name]), reversed(value.shape), strict=False)
            sizes |= {dimension: size for dimension, size in named if isinstance(dimension, str)}
        return {**sizes, **tensors}


def _frame(outcome: Returned | Raised) -> Frame:
    """As the probe's desk puts it."""
    if isinstance(outcome, Raised):
        return Frame({"is": "outcome", "came": "raised", **vars(outcome)})
    spec, payload = encode({"value": outcome.value, **outcome.extra})
    header = {"is": "outcome", "came": "returned", "changed": outcome.changed, "value": spec}
    return Frame(header, payload)
