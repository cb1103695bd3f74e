"""The trusted side of one notebook: holds the reference, asks the probe, decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from stagegrade.diagnosis import (
    Answered,
    Failed,
    Lost,
    Outcome,
    Seen,
    StageVerdict,
    TimedOut,
    Trial,
    Verdict,
    judge_forward,
    judge_function,
    same,
)
from stagegrade.judge._further import Further
from stagegrade.judge._numbers import numbers_as_tensors
from stagegrade.judge._probe import Link, Probe, text, texts
from stagegrade.judge._rules import broken, under_rules
from stagegrade.judge._threads import one_thread
from stagegrade.judge._timeouts import CALL_TIMEOUT
from stagegrade.pipelines import Case, Kind, Pipeline, Rule, Stage, Trace, cases

WATCHED_SECONDS = 1.0
"""For a call that is known not to end, and is made again to see how far it comes."""
MAX_CHAINED_ENTRIES = 1 << 14
MAX_CHAINED_ITEMS = 16
MAX_CALLED = 256


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

    def __init__(
        self,
        pipeline: Pipeline,
        seed: int,
        call_timeout: float = CALL_TIMEOUT,
        rules: Sequence[Rule] | None = None,
    ) -> None:
        self.pipeline = pipeline
        self.rules = tuple(pipeline.rules if rules is None else rules)
        self.flags: list[str] = []
        """What an instructor should see of what was heard."""
        self._timeout = call_timeout
        with one_thread():
            self._cases: Sequence[tuple[Case, Trace]] = [
                (case, pipeline.run(case)) for case in cases(pipeline, seed)
            ]
        # The student's own values, a case each, as far as earlier stages gave any.
        self._chains: list[dict[str, Any]] = [{} for _ in self._cases]
        # Values that are not the reference's in the student's own notebook, by name.
        self._off: set[str] = set()
        self._verdicts: dict[str, StageVerdict] = {}
        self._forward: tuple[int, Mapping[str, StageVerdict], frozenset[str]] | None = None

    @property
    def verdicts(self) -> list[StageVerdict]:
        """The verdicts reached so far, in pipeline order."""
        return [self._verdicts[s.name] for s in self.pipeline.asked if s.name in self._verdicts]

    def hear(self, offer: Offer, link: Link) -> StageVerdict:
        """Ask about what was offered until there is a verdict for its stage; the probe waits to be closed."""
        stage = self.pipeline.stage(offer.stage.rpartition(".")[2])
        probe = Probe(link, self._timeout)
        with one_thread():
            if stage.of == "function":
                found, called = self._hear_function(stage, offer, probe)
            else:
                found, called = self._hear_module(stage, offer, probe)
        if probe.broken:
            self.flags.append(f"{stage.name}: its process broke the line to the judge ({probe.broken})")
        rules = broken(self.rules, stage.name, called)
        self.flags += [f"{stage.name} calls {rule.call}" for rule in rules]
        self._verdicts[stage.name] = under_rules(found, rules)
        return self._verdicts[stage.name]

    def absent(
        self, stage: str, verdict: Verdict, message: str, evidence: Mapping[str, Any] | None = None
    ) -> StageVerdict:
        """Record a stage that handed nothing over, and why."""
        made = StageVerdict(stage=stage, verdict=verdict, message=message, evidence=evidence or {})
        self._verdicts[stage] = made
        return made

    @property
    def _result(self) -> str | None:
        return self.pipeline.module.result if self.pipeline.module is not None else None

    def _asked(self, stage: Stage) -> list[int]:
        return [i for i, (case, _) in enumerate(self._cases) if self.pipeline.asks(stage, case)]

    def _hear_function(self, stage: Stage, offer: Offer, probe: Probe) -> tuple[StageVerdict, frozenset[str]]:
        if offer.form not in ("callable", "module"):
            return _not_callable(stage, offer, "a function"), frozenset()
        asked = self._asked(stage)
        alone = [stage.arguments(self._cases[i][1]) for i in asked]
        chained = {i: self._chained_arguments(stage, i) for i in asked}
        chained = {i: arguments for i, arguments in chained.items() if arguments is not None}
        questions = [*alone, *[a for a in chained.values() if a is not None]]
        outcomes = numbers_as_tensors(stage, probe.ask("call", questions, notice=bool(self.rules)))
        by_chain = dict(zip(chained, outcomes[len(asked) :], strict=True))
        trials = []
        for i, outcome in zip(asked, outcomes[: len(asked)], strict=True):
            case, trace = self._cases[i]
            trials.append(Trial(case=case, trace=trace, alone=outcome, chained=by_chain.get(i)))
            self._extend_chain(stage, i, by_chain.get(i, outcome))

        def put(further: Sequence[tuple[Case, Trace]]) -> list[Trial]:
            asked = [stage.arguments(trace) for _, trace in further]
            given = numbers_as_tensors(stage, probe.ask("call", asked))
            return [
                Trial(case=case, trace=trace, alone=outcome)
                for (case, trace), outcome in zip(further, given, strict=True)
            ]

        more = Further(self.pipeline, put)
        found = judge_function(self.pipeline, stage, trials, more.ask)
        if found.passed and not found.carried:
            self._off -= set(stage.gives)
        else:
            self._off |= set(stage.gives)
        return found, _called(outcomes)

    def _chained_arguments(self, stage: Stage, index: int) -> dict[str, Any] | None:
        """The stage's arguments with the student's own earlier values; ``None`` where none of those is off."""
        chain, trace = self._chains[index], self._cases[index][1]
        if not any(name in chain and name in self._off for name in stage.reads):
            return None
        return {name: chain.get(name, trace[name]) for name in stage.reads}

    def _extend_chain(self, stage: Stage, index: int, outcome: Outcome) -> None:
        chain, trace = self._chains[index], self._cases[index][1]
        for name in stage.gives:
            chain.pop(name, None)
        if not isinstance(outcome, Answered):
            return
        try:
            named = stage.named(outcome.value)
        except ValueError:
            return
        chain |= {
            name: _in_the_dtype_of(trace[name], value)
            for name, value in named.items()
            if _can_be_chained(value)
        }

    def _hear_module(self, stage: Stage, offer: Offer, probe: Probe) -> tuple[StageVerdict, frozenset[str]]:
        if offer.form != "module":
            return _not_callable(stage, offer, "a class that inherits from nn.Module"), frozenset()
        if stage.of == "parameters":
            return self._hear_parameters(stage, probe), frozenset()
        if self._forward is None or self._forward[0] != offer.identity:
            self._forward = (offer.identity, *self._ask_forward(probe))
        return self._forward[1][stage.name], self._forward[2]

    def _hear_parameters(self, stage: Stage, probe: Probe) -> StageVerdict:
        def put(further: Sequence[tuple[Case, Trace]]) -> list[Trial]:
            # First without a forward pass: one that does not end, or ends the process, is no parameter's doing.
            questions = [
                self._module_question(trace) | {"run": run} for _, trace in further for run in (False, True)
            ]
            found = probe.ask("parameters", questions)
            outcomes = [
                held if isinstance(whole, (TimedOut, Lost)) else whole
                for held, whole in zip(found[::2], found[1::2], strict=True)
            ]
            return [
                Trial(case=case, trace=trace, alone=self._without_excuses(outcome, trace))
                for (case, trace), outcome in zip(further, outcomes, strict=True)
            ]

        return judge_function(
            self.pipeline, stage, put([self._cases[1]]), Further(self.pipeline, put, self._result).ask
        )

    def _without_excuses(self, outcome: Outcome, trace: Trace) -> Outcome:
        if isinstance(outcome, Answered) and self._excuses_gradients(outcome, trace):
            return replace(outcome, value=_without_gradients(outcome.value))
        return outcome

    def _excuses_gradients(self, outcome: Answered, trace: Trace) -> bool:
        """Whether a gradient that is missing may be the doing of a stage in ``forward``, and no parameter's.

        A weight that a wrong ``forward`` does not use gets none, nor does one before an argmax. Where the output
        is right there is no such excuse, nor where it differs from call to call: then the weights held are not
        those that ``forward`` uses.
        """
        assert self.pipeline.module is not None
        given = outcome.extra.get("output")
        right = given is not None and same(trace[self.pipeline.module.result], given)
        report = outcome.value
        return not right and isinstance(report, Mapping) and report.get("two calls agree") is True

    def _ask_forward(self, probe: Probe) -> tuple[Mapping[str, StageVerdict], frozenset[str]]:
        called: set[str] = set()

        def put(
            further: Sequence[tuple[Case, Trace]], watch: bool = False, seconds: float | None = None
        ) -> list[Trial]:
            questions = [
                self._module_question(trace) | {"before": self._other_inputs(trace) if case is second else {}}
                for case, trace in further
            ]
            outcomes = probe.ask("forward", questions, notice=bool(self.rules), watch=watch, seconds=seconds)
            called.update(_called(outcomes))
            return [
                Trial(
                    case=case,
                    trace=trace,
                    alone=outcome,
                    seen=_seen(outcome),
                    unset=self._unset(outcome),
                    second=case is second,
                )
                for (case, trace), outcome in zip(further, outcomes, strict=True)
            ]

        asked = [self._cases[i] for i in self._asked(self.pipeline.inside[-1])]
        # On one case the object has been called before: what it keeps from a call must not show in the next.
        second = next(case for case, _ in asked if case.kind == Kind.RECTANGULAR)
        trials = put(asked)
        stopped = next((i for i, t in enumerate(trials) if _ran_out(t.alone)), None)
        if stopped is not None:
            # Once more, for a shorter time, to see how far it comes; on a drawn case, whose right values nobody knows.
            drawn = [pair for pair in asked if pair[0].kind == Kind.RECTANGULAR and pair[0] is not second]
            again = put([asked[stopped]] if stopped > 1 else drawn[:1], watch=True, seconds=WATCHED_SECONDS)
            if _ran_out(again[0].alone):
                trials = [*trials[:stopped], *again]
        more = Further(self.pipeline, put, self._result)
        found = judge_forward(self.pipeline, trials, lambda cases: put(asked, watch=True), more.ask)
        return found, frozenset(called)

    def _unset(self, outcome: Outcome) -> tuple[str, ...]:
        """The weights that the probe says could not be set."""
        assert self.pipeline.module is not None
        said = texts(_extra(outcome).get("unset"))
        return tuple(name for name in self.pipeline.module.weights if name in said)

    def _other_inputs(self, trace: Trace) -> dict[str, Any]:
        """What ``forward`` reads, of the same shapes and with other numbers."""
        assert self.pipeline.module is not None
        read = {name: trace[name] for name in self.pipeline.module.forward}
        return {name: 0.5 - value if isinstance(value, Tensor) else value for name, value in read.items()}

    def _module_question(self, trace: Trace) -> dict[str, Any]:
        form = self.pipeline.module
        assert form is not None
        return {
            "build": tuple(trace[name] for name in form.build),
            "weights": {name: trace[name] for name in form.weights},
            "biases": {weight: trace[name] for weight, name in form.biases.items()},
            "inputs": {name: trace[name] for name in form.forward},
            "seed": form.start_seed,
        }


def _not_callable(stage: Stage, offer: Offer, wanted: str) -> StageVerdict:
    kind = f"of type {offer.type_name}"
    if offer.type_name == "type":
        kind = "a class that does not" if "inherits" in wanted else "a class"
    return StageVerdict(
        stage=stage.name,
        verdict=Verdict.MISSING,
        message=f"This stage has to be {wanted}; what stands under its name is {kind}.",
        evidence={
            "hint": "Look at the line that gives this name its meaning last, and hold it against the task."
        },
    )


def _ran_out(outcome: Outcome) -> bool:
    """Of time or of memory."""
    return isinstance(outcome, TimedOut) or (isinstance(outcome, Failed) and outcome.out_of_memory)


def _extra(outcome: Outcome) -> Mapping[str, Any]:
    return {} if isinstance(outcome, Lost) else outcome.extra


def _called(outcomes: Sequence[Outcome]) -> frozenset[str]:
    return frozenset(
        name for outcome in outcomes for name in texts(_extra(outcome).get("called"), MAX_CALLED)
    )


def _seen(outcome: Outcome) -> Seen:
    """Of what the probe says ``forward`` made, what has the form of it; in one dtype, for the reference to read."""
    extra = _extra(outcome)
    named = [
        (text(pair[0]), pair[1].float())
        for pair in _items(extra.get("named"))
        if isinstance(pair, tuple) and len(pair) == 2 and _is_numbers(pair[1])
    ]
    entries = extra.get("entries")
    return Seen(
        tensors=tuple(t.float() for t in _items(extra.get("made")) if _is_numbers(t)),
        entries=entries if _is_numbers(entries) else None,
        named=tuple(named),
        steady=extra.get("steady") is not False,
    )


def _items(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else ()


def _is_numbers(found: Any) -> bool:
    return isinstance(found, Tensor) and not found.is_complex()


def _can_be_chained(value: Any) -> bool:
    """Whether a later stage can be asked with it: a value that a stage may give, and no larger than one."""
    if isinstance(value, tuple):
        return len(value) <= MAX_CHAINED_ITEMS and all(_can_be_chained(item) for item in value)
    if isinstance(value, Tensor):
        return value.numel() <= MAX_CHAINED_ENTRIES
    return isinstance(value, (int, float, bool, str))


def _in_the_dtype_of(expected: Any, value: Any) -> Any:
    """Double precision is right too, and must not clash with what the next stage is given besides."""
    if _is_numbers(expected) and _is_numbers(value):
        return value.to(expected.dtype)
    return value


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
