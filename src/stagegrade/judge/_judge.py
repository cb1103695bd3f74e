"""The trusted side of one notebook: holds the reference, asks the probe, decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from stagegrade.diagnosis import (
    Answered,
    Failed,
    Outcome,
    Pass,
    StageVerdict,
    Trial,
    Verdict,
    judge_forward,
    judge_function,
    same,
)
from stagegrade.judge._probe import Link, Probe, text, texts
from stagegrade.pipelines import Case, Pipeline, Stage, Trace, cases

CALL_TIMEOUT = 5.0
MAX_CHAINED_ENTRIES = 1 << 14
MAX_CHAINED_ITEMS = 16


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What ``answer`` handed over: for which stage, and of which form (``module``, ``callable``, ``other``)."""

    stage: str
    """The stage's full name, such as ``query_key_value.scaling``."""
    form: str
    type_name: str
    identity: int
    """Tells one handed object from another; the probe's word, on which no points depend."""

    @classmethod
    def read(cls, header: Mapping[str, Any]) -> "Offer":
        """The offer that a frame's header makes, whatever is in it."""
        identity = header.get("identity")
        return cls(
            stage=text(header.get("stage")),
            form=text(header.get("form")),
            type_name=text(header.get("type")),
            identity=identity if isinstance(identity, int) else 0,
        )


class Judge:
    """Judges the stages of one pipeline for one notebook, as its grade cells hand them over."""

    def __init__(self, pipeline: Pipeline, seed: int, call_timeout: float = CALL_TIMEOUT) -> None:
        self.pipeline = pipeline
        self._timeout = call_timeout
        self._cases: Sequence[tuple[Case, Trace]] = [
            (case, pipeline.run(case)) for case in cases(pipeline, seed)
        ]
        # The student's own values, a case each, as far as earlier stages gave any.
        self._chains: list[dict[str, Any]] = [{} for _ in self._cases]
        self._verdicts: dict[str, StageVerdict] = {}
        self._forward: tuple[int, Mapping[str, StageVerdict]] | None = None

    @property
    def verdicts(self) -> list[StageVerdict]:
        """The verdicts reached so far, in pipeline order."""
        return [self._verdicts[s.name] for s in self.pipeline.asked if s.name in self._verdicts]

    def hear(self, offer: Offer, link: Link) -> StageVerdict:
        """Ask about what was offered until there is a verdict for its stage; the probe waits to be closed."""
        stage = self.pipeline.stage(offer.stage.rpartition(".")[2])
        probe = Probe(link, self._timeout)
        if stage.of == "function":
            verdict = self._hear_function(stage, offer, probe)
        else:
            verdict = self._hear_module(stage, offer, probe)
        self._verdicts[stage.name] = verdict
        return verdict

    def absent(
        self, stage: str, verdict: Verdict, message: str, evidence: Mapping[str, Any] | None = None
    ) -> StageVerdict:
        """Record a stage that handed nothing over, and why."""
        made = StageVerdict(stage=stage, verdict=verdict, message=message, evidence=evidence or {})
        self._verdicts[stage] = made
        return made

    def _asked(self, stage: Stage) -> list[int]:
        return [i for i, (case, _) in enumerate(self._cases) if self.pipeline.asks(stage, case)]

    def _hear_function(self, stage: Stage, offer: Offer, probe: Probe) -> StageVerdict:
        if offer.form not in ("callable", "module"):
            return _not_callable(stage, offer, "a function")
        asked = self._asked(stage)
        alone = [stage.arguments(self._cases[i][1]) for i in asked]
        chained = {i: self._chained_arguments(stage, i) for i in asked}
        chained = {i: arguments for i, arguments in chained.items() if arguments is not None}
        outcomes = probe.ask("call", [*alone, *[a for a in chained.values() if a is not None]])
        by_chain = dict(zip(chained, outcomes[len(asked) :], strict=True))
        trials = []
        for i, outcome in zip(asked, outcomes[: len(asked)], strict=True):
            case, trace = self._cases[i]
            trials.append(Trial(case=case, trace=trace, alone=outcome, chained=by_chain.get(i)))
            self._extend_chain(stage, i, by_chain.get(i, outcome))
        return judge_function(self.pipeline, stage, trials)

    def _chained_arguments(self, stage: Stage, index: int) -> dict[str, Any] | None:
        """The stage's arguments with the student's own earlier values; ``None`` where there are none of those."""
        chain, trace = self._chains[index], self._cases[index][1]
        if not any(name in chain for name in stage.reads):
            return None
        return {name: chain.get(name, trace[name]) for name in stage.reads}

    def _extend_chain(self, stage: Stage, index: int, outcome: Outcome) -> None:
        if not isinstance(outcome, Answered):
            return
        try:
            named = stage.named(outcome.value)
        except ValueError:
            return
        self._chains[index] |= {name: value for name, value in named.items() if _can_be_chained(value)}

    def _hear_module(self, stage: Stage, offer: Offer, probe: Probe) -> StageVerdict:
        if offer.form != "module":
            return _not_callable(stage, offer, "a class that inherits from nn.Module")
        if stage.of == "parameters":
            return self._hear_parameters(stage, probe)
        if self._forward is None or self._forward[0] != offer.identity:
            self._forward = (offer.identity, self._ask_forward(probe))
        return self._forward[1][stage.name]

    def _hear_parameters(self, stage: Stage, probe: Probe) -> StageVerdict:
        case, trace = self._cases[1]
        (outcome,) = probe.ask("parameters", [self._module_question(trace)])
        if isinstance(outcome, Answered) and self._excuses_gradients(outcome.extra, trace):
            outcome = replace(outcome, value=_without_gradients(outcome.value))
        return judge_function(self.pipeline, stage, [Trial(case=case, trace=trace, alone=outcome)])

    def _excuses_gradients(self, extra: Mapping[str, Any], trace: Trace) -> bool:
        """Whether a gradient that is missing may be the doing of a stage in ``forward``, and no parameter's.

        A weight that a wrong ``forward`` does not use gets none, nor does one before an argmax. Where the output
        is right there is no such excuse, nor where it differs from call to call: then the weights held are not
        those that ``forward`` uses.
        """
        assert self.pipeline.module is not None
        right = "output" in extra and same(trace[self.pipeline.module.result], extra["output"])
        return not right and extra.get("repeats") is True

    def _ask_forward(self, probe: Probe) -> Mapping[str, StageVerdict]:
        stages = [stage for stage in self.pipeline.stages if stage.of == "forward"]
        asked = self._asked(stages[-1])
        outcomes = probe.ask("forward", [self._module_question(self._cases[i][1]) for i in asked])
        passes = []
        for i, outcome in zip(asked, outcomes, strict=True):
            case, trace = self._cases[i]
            extra = outcome.extra if isinstance(outcome, (Answered, Failed)) else {}
            passes.append(
                Pass(
                    trial=Trial(case=case, trace=trace, alone=outcome),
                    made=_made(extra.get("made")),
                    unset=texts(extra.get("unset")),
                )
            )
        return judge_forward(self.pipeline, passes)

    def _module_question(self, trace: Trace) -> dict[str, Any]:
        form = self.pipeline.module
        assert form is not None
        return {
            "build": tuple(trace[name] for name in form.build),
            "weights": {name: trace[name] for name in form.weights},
            "biases": {weight: trace[name] for weight, name in form.biases.items()},
            "inputs": {name: trace[name] for name in form.forward},
        }


def _not_callable(stage: Stage, offer: Offer, wanted: str) -> StageVerdict:
    return StageVerdict(
        stage=stage.name,
        verdict=Verdict.MISSING,
        message=f"This stage has to be {wanted}; what stands under its name is of type {offer.type_name}.",
    )


def _made(found: Any) -> tuple[Tensor, ...]:
    """Of what the probe says ``forward`` made, the tensors; in one dtype, so that the reference can read them."""
    items = found if isinstance(found, tuple) else ()
    return tuple(t.float() for t in items if isinstance(t, Tensor) and t.is_floating_point())


def _can_be_chained(value: Any) -> bool:
    """Whether a later stage can be asked with it: a value that a stage may give, and no larger than one."""
    if isinstance(value, tuple):
        return len(value) <= MAX_CHAINED_ITEMS and all(_can_be_chained(item) for item in value)
    if isinstance(value, Tensor):
        return value.numel() <= MAX_CHAINED_ENTRIES
    return isinstance(value, (int, float, bool, str))


def _without_gradients(report: Any) -> Any:
    """The report with what training does to a weight taken as right, for weights that are registered."""
    if not isinstance(report, Mapping):
        return report
    granted = {"gradient": True, "changed by training": True}
    return {
        name: {**held, **granted}
        if isinstance(held, Mapping) and held.get("registered") is True and held.get("trainable") is True
        else held
        for name, held in report.items()
    }
