"""Verdicts for the stages inside one ``forward``, of which only the output and the tensors it made are seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from torch import Tensor

from stagegrade.diagnosis._compare import compare, same
from stagegrade.diagnosis._function import case_of, explain, raised
from stagegrade.diagnosis._match import reproduces
from stagegrade.diagnosis._outcome import Answered, Failed, Lost, Outcome, TimedOut
from stagegrade.diagnosis._trial import Trial
from stagegrade.diagnosis._verdict import Confidence, StageVerdict, Verdict
from stagegrade.pipelines import Mistake, Pipeline, Stage, Value

# How many ways of reading recorded tensors into one stage are tried for one case.
MAX_READINGS = 4096


@dataclass(frozen=True, kw_only=True)
class Pass:
    """One forward pass: the case, the outcome of the call, and the tensors it made and used."""

    trial: Trial
    made: tuple[Tensor, ...]
    unset: tuple[str, ...]
    """Weights that the module has in no form that the judge could set."""

    @property
    def outcome(self) -> Outcome:
        return self.trial.alone


def judge_forward(pipeline: Pipeline, passes: Sequence[Pass]) -> dict[str, StageVerdict]:
    """A verdict for each stage inside ``forward``: by the output, by mistakes, by the tensors it made."""
    stages = [stage for stage in pipeline.stages if stage.of == "forward"]
    assert pipeline.module is not None
    result = pipeline.module.result
    wrong = [p for p in passes if not _right(p, result)]
    if not wrong:
        return {s.name: _correct(s, Confidence.EXACT, carried=False) for s in stages}
    stopped = next((p for p in wrong if isinstance(p.outcome, (TimedOut, Lost))), None)
    if stopped is not None:
        return _stopped(stages, stopped.outcome)
    if all(isinstance(p.outcome, Failed) and p.outcome.error == "NotImplementedError" for p in passes):
        return {
            s.name: raised(s, p.outcome, None)
            for s in stages
            for p in passes[:1]
            if isinstance(p.outcome, Failed)
        }
    named = _mistakes_in(pipeline, stages, passes, result)
    if named:
        return _by_mistakes(stages, named, wrong[0], passes, result)
    return _by_tensors(pipeline, stages, passes, wrong, result)


def _right(one: Pass, result: str) -> bool:
    return isinstance(one.outcome, Answered) and same(one.trial.trace[result], one.outcome.value)


def _correct(stage: Stage, confidence: Confidence, *, carried: bool) -> StageVerdict:
    message = (
        "Right given what it got; its output is off only because an earlier stage's is."
        if carried
        else "Right."
    )
    return StageVerdict(
        stage=stage.name,
        verdict=Verdict.CORRECT,
        carried=carried,
        message=message,
        evidence={"confidence": str(confidence)},
    )


def _stopped(stages: Sequence[Stage], outcome: Outcome) -> dict[str, StageVerdict]:
    timed_out = isinstance(outcome, TimedOut)
    first = StageVerdict(
        stage=stages[0].name,
        verdict=Verdict.TIMED_OUT if timed_out else Verdict.LOST,
        message=f"`forward` did not return within {outcome.seconds:g} s. Is there a loop that never ends?"
        if isinstance(outcome, TimedOut)
        else "The notebook's process ended inside `forward`. Does it call exit?",
    )
    rest = [_not_reached(stage, "`forward` did not come to its end.") for stage in stages[1:]]
    return {v.stage: v for v in [first, *rest]}


def _not_reached(stage: Stage, why: str) -> StageVerdict:
    return StageVerdict(stage=stage.name, verdict=Verdict.NOT_REACHED, message=f"Not reached: {why}")


def _mistakes_in(
    pipeline: Pipeline, stages: Sequence[Stage], passes: Sequence[Pass], result: str
) -> list[tuple[Mistake, ...]]:
    """The sets of mistakes, of one or else of two in different stages, that give the outputs of every case."""
    # Errors alone prove nothing, whatever would raise the same.
    if any(p.unset for p in passes) or not any(isinstance(p.outcome, Answered) for p in passes):
        return []
    known = [m for stage in stages for m in pipeline.mistakes_of(stage)]
    observed = [(p.trial, p.outcome) for p in passes]

    def fits(together: tuple[Mistake, ...]) -> bool:
        def variant(trial: Trial) -> Any:
            return pipeline.run(trial.case, together, until=result)[result]

        return reproduces(variant, observed)

    alone: list[tuple[Mistake, ...]] = [(mistake,) for mistake in known if fits((mistake,))]
    if not alone:
        pairs = ((a, b) for a, b in combinations(known, 2) if a.stage != b.stage)
        alone = [pair for pair in pairs if fits(pair)]
    if len(alone) < 2:
        return alone
    return [
        found for found in alone if not any(_made(pipeline.stage(m.stage), passes) for m in found)
    ] or alone


def _made(stage: Stage, passes: Sequence[Pass]) -> bool:
    """Whether ``forward`` made the stage's right values on every case, in the stage's own order.

    Of two mistakes with one output, such as keys made with W_query and queries scored against queries, it
    tells which it cannot have been: who makes the right keys has made no mistake in them. Where query and key
    are exchanged the right values are made as well, but the keys come first.
    """
    return all(_made_in_order([p.trial.trace[name] for name in stage.gives], p.made) for p in passes)


def _made_in_order(values: Sequence[Value], made: Sequence[Tensor]) -> bool:
    rest = iter(made)
    return all(any(same(value, tensor) for tensor in rest) for value in values)


def _by_mistakes(
    stages: Sequence[Stage],
    named: Sequence[tuple[Mistake, ...]],
    shown: Pass,
    passes: Sequence[Pass],
    result: str,
) -> dict[str, StageVerdict]:
    """Several sets may fit: the one whose first mistake comes first is told, with the others beside it."""
    order = {stage.name: index for index, stage in enumerate(stages)}
    chosen = min(named, key=lambda together: min(order[m.stage] for m in together))
    verdicts: dict[str, StageVerdict] = {}
    diverged = False
    for stage in stages:
        here = [m for m in chosen if m.stage == stage.name]
        if not here:
            verdicts[stage.name] = _correct(stage, Confidence.EXACT, carried=diverged)
            continue
        diverged = True
        also = [t[0] for t in named if len(t) == 1 and len(chosen) == 1 and t[0].stage == stage.name]
        name, message = explain(also or here)
        evidence: dict[str, Any] = {"confidence": str(Confidence.EXACT), "hint": here[0].hint}
        evidence |= _shown_difference(shown, result)
        elsewhere = sorted(
            {f"{m.stage}: {m.name}" for t in named for m in t} - {f"{m.stage}: {m.name}" for m in chosen}
        )
        if elsewhere:
            evidence["alternatives"] = elsewhere
        if here[0].checkpoint:
            evidence["checkpoint"] = here[0].checkpoint
        verdicts[stage.name] = StageVerdict(
            stage=stage.name,
            verdict=Verdict.DIVERGES,
            mistake=name,
            message=message,
            evidence=evidence,
            case=case_of(shown.trial.case),
        )
    return verdicts


def _shown_difference(shown: Pass, result: str) -> dict[str, Any]:
    if not isinstance(shown.outcome, Answered):
        return {"error": shown.outcome.describe()} if isinstance(shown.outcome, Failed) else {}
    found = compare(shown.trial.trace[result], shown.outcome.value)
    if found is None:
        return {}
    return {"expected": found.expected, "got": found.got, "difference": found.kind, "detail": found.detail}


def _by_tensors(
    pipeline: Pipeline, stages: Sequence[Stage], passes: Sequence[Pass], wrong: Sequence[Pass], result: str
) -> dict[str, StageVerdict]:
    located = [_located(stages, p) for p in passes]
    verdicts: dict[str, StageVerdict] = {}
    first: Stage | None = None
    failed = next((p.outcome for p in wrong if isinstance(p.outcome, Failed)), None)
    unset = sorted({name for p in passes for name in p.unset})
    for stage in stages:
        seen = all(stage.name in found for found in located)
        if first is None and seen and stage is not stages[-1]:
            verdicts[stage.name] = _correct(stage, Confidence.TRACED, carried=False)
        elif first is None and not (unset and _shown_right(stage, passes)):
            first = stage
            verdicts[stage.name] = _first_wrong(stage, wrong, failed, result, unset)
        elif _shown_right(stage, passes):
            verdicts[stage.name] = _correct(stage, Confidence.TRACED, carried=True)
        elif failed is not None:
            verdicts[stage.name] = _not_reached(stage, "`forward` raised before it was shown to be right.")
        else:
            verdicts[stage.name] = StageVerdict(
                stage=stage.name,
                verdict=Verdict.DIVERGES,
                message="Nothing that `forward` made shows whether this stage is right. Mend the first "
                "stage that diverges; then this one can be seen.",
                evidence={"confidence": str(Confidence.UNLOCATED)},
            )
    return verdicts


def _first_wrong(
    stage: Stage, wrong: Sequence[Pass], failed: Failed | None, result: str, unset: Sequence[str]
) -> StageVerdict:
    if failed is not None and not any(isinstance(p.outcome, Answered) for p in wrong):
        return raised(stage, failed, wrong[0].trial.case)
    shown = next(p for p in wrong if isinstance(p.outcome, Answered))
    gives = ", ".join(f"`{name}`" for name in stage.gives)
    message = (
        f"`forward` never makes the right {gives} ({stage.formula}); every stage before it is right."
        if not unset
        else f"`forward` does not use {', '.join(f'self.{name}' for name in unset)} as weights that can be set."
    )
    evidence = {"confidence": str(Confidence.TRACED), **_shown_difference(shown, result)}
    return StageVerdict(
        stage=stage.name,
        verdict=Verdict.DIVERGES,
        message=message,
        evidence=evidence,
        case=case_of(shown.trial.case),
    )


def _located(stages: Sequence[Stage], one: Pass) -> set[str]:
    """Stages whose values were made, or must have been: what a right later value was computed from is right."""
    trace = one.trial.trace
    right: set[str] = set()
    found: set[str] = set()
    for stage in reversed(stages):
        for name in stage.gives:
            if name in right or _appears(trace[name], one.made):
                right.add(name)
        # Of a stage that gives several values, one alone does not need all that the stage reads.
        if len(stage.gives) == 1 and any(name in right for name in stage.gives):
            right.update(stage.reads)
        if all(name in right for name in stage.gives):
            found.add(stage.name)
    return found


def _appears(expected: Value, made: Sequence[Tensor]) -> bool:
    """In any orientation, with or without a batch of one."""
    if not isinstance(expected, Tensor):
        return False
    forms = [expected, expected.transpose(-2, -1)] if expected.dim() >= 2 else [expected]
    return any(
        same(form.squeeze(), tensor.squeeze())
        for tensor in made
        if tensor.numel() == expected.numel()
        for form in forms
    )


def _shown_right(stage: Stage, passes: Sequence[Pass]) -> bool:
    """Whether on every pass some recorded tensors, read into the reference, give recorded tensors.

    That shows the stage right given what it got, even where what it got was wrong.
    """
    return all(_reading_fits(stage, p) for p in passes)


def _reading_fits(stage: Stage, one: Pass) -> bool:
    trace = one.trial.trace
    choices: list[list[Any]] = []
    for name in stage.reads:
        value = trace[name]
        if not isinstance(value, Tensor):
            choices.append([value])
            continue
        choices.append([t for t in one.made if t.shape == value.shape])
    made = [*one.made]
    if isinstance(one.outcome, Answered) and isinstance(one.outcome.value, Tensor):
        made.append(one.outcome.value)
    for tries, reading in enumerate(product(*choices)):
        if tries >= MAX_READINGS:
            return False
        outputs = stage.named(stage.reference(*reading))
        if all(_appears(value, made) for value in outputs.values()):
            return True
    return False
