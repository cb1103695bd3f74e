"""What is told of a stage inside ``forward`` that is wrong: the sentence, and the evidence for it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from stagegrade.diagnosis._calls import Calls
from stagegrade.diagnosis._compare import alike, compare, same
from stagegrade.diagnosis._describe import Pair, describe_value
from stagegrade.diagnosis._explain_forward import Together, result_with, steps
from stagegrade.diagnosis._function import case_of, explain, no_more, raised, shown_difference
from stagegrade.diagnosis._located import Located
from stagegrade.diagnosis._match import best
from stagegrade.diagnosis._outcome import Answered, Failed, value_of
from stagegrade.diagnosis._shrink import evidence_of, smallest_case
from stagegrade.diagnosis._trial import Trial
from stagegrade.diagnosis._verdict import Confidence, StageVerdict, Verdict
from stagegrade.pipelines import Kind, Mistake, Pipeline, Stage, Trace, shown_inputs


def told_mistake(
    calls: Calls, stage: Stage, here: Mistake, chosen: Together, sets: Sequence[Together]
) -> StageVerdict:
    """``here`` is among the ``chosen`` mistakes, which together give what ``forward`` gave, as other ``sets`` may."""
    same_stages = [s for s in sets if [m.stage for m in s] == [m.stage for m in chosen]]
    also = list(dict.fromkeys(m for s in same_stages for m in s if m.stage == stage.name))
    elsewhere = [s for s in sets if s not in same_stages]
    name, message = explain([here, *(m for m in also if m is not here)])
    evidence: dict[str, Any] = {
        "confidence": str(Confidence.EXACT),
        "hint": here.hint,
        **_shown(calls, calls.telling),
    }
    alternatives = [m.name for m in also]
    if elsewhere:
        others = list(dict.fromkeys(f"{m.stage}: {m.name}" for s in elsewhere for m in s if m not in chosen))
        alternatives += others
        message = f"{message} What `forward` gave could also come of {' or '.join(others)}."
    if len(alternatives) > 1:
        name = None
        evidence["alternatives"] = alternatives
    if here.checkpoint:
        evidence["checkpoint"] = here.checkpoint
    evidence |= _smallest(calls, stage, chosen, sets)
    return _of_mistake(calls, stage, name, message, evidence)


def traced_mistake(calls: Calls, stage: Stage, here: Mistake, located: Located) -> StageVerdict:
    """``here`` is seen in the tensors that ``forward`` made, whatever else is wrong with it."""
    name, message = explain([here])
    evidence = {"confidence": str(Confidence.TRACED), "hint": here.hint, **_shown(calls, calls.telling)}
    if here.checkpoint:
        evidence["checkpoint"] = here.checkpoint
    return _of_mistake(calls, stage, name, message, evidence, is_last=here is located.mistakes[-1])


def _of_mistake(
    calls: Calls,
    stage: Stage,
    name: str | None,
    message: str,
    evidence: dict[str, Any],
    *,
    is_last: bool = True,
) -> StageVerdict:
    """Where ``forward`` raised, the last of several mistakes is the one that it is put down to."""
    verdict = Verdict.DIVERGES
    if isinstance(calls.telling.alone, Failed) and is_last:
        verdict = Verdict.RAISED
        message = f"{message} It raised {calls.telling.alone.describe()}"
    return StageVerdict(
        stage=stage.name,
        verdict=verdict,
        mistake=name,
        message=message,
        evidence=evidence,
        case=case_of(calls.telling.case),
    )


def first_unknown(calls: Calls, stage: Stage, located: Located, unset: Sequence[str]) -> StageVerdict:
    """The first stage that is neither seen to be right nor explained."""
    if isinstance(calls.telling.alone, Failed):
        found = raised(stage, calls.telling.alone, calls.telling.case)
        why = calls.from_call_to_call()
        return replace(found, message=f"{found.message}. {why}") if why else found
    instead = {name: located.instead[name] for name in stage.gives if name in located.instead}
    is_last = stage is calls.pipeline.inside[-1]
    confidence = Confidence.TRACED if instead or is_last else Confidence.UNLOCATED
    gives = ", ".join(f"`{name}`" for name in stage.gives)
    evidence: dict[str, Any] = {"confidence": str(confidence), **_shown(calls, calls.telling)}
    described = calls.from_call_to_call() or _described(calls, stage, instead)
    if described:
        evidence["described"] = described
    if unset:
        names = ", ".join(f"self.{name}" for name in unset)
        message = f"`forward` does not use {names} as weights that can be set."
    elif instead:
        other = ", ".join(f"`{name}`" for name in instead)
        message = f"What comes next was given something else than the right {other} ({stage.formula})."
    elif is_last:
        message = f"Every stage before it is right, and {gives} ({stage.formula}) is not."
    else:
        before = "" if stage is calls.pipeline.inside[0] else " Every stage before it is right."
        message = (
            f"`forward` gives a wrong result, and is not seen to make the right {gives} ({stage.formula}).{before} "
            "Whether this stage is wrong or only a later one is not to be seen."
        )
    evidence |= _smallest(calls, stage, (), ())
    return StageVerdict(
        stage=stage.name,
        verdict=Verdict.DIVERGES,
        message=f"{message} {described}".strip(),
        evidence=evidence,
        case=case_of(calls.telling.case),
    )


def _shown(calls: Calls, shown: Trial) -> dict[str, Any]:
    if isinstance(shown.alone, Failed):
        return dict(raised(calls.pipeline.inside[0], shown.alone, None).evidence)
    if not isinstance(shown.alone, Answered):
        return {}
    found = compare(shown.trace[calls.result], shown.alone.value)
    return shown_difference(found) if found else {}


def _described(calls: Calls, stage: Stage, instead: dict[str, Sequence[Tensor]]) -> str:
    """In words, what stands in the place of the stage's value, or of the output where the stage gives it."""
    for name, tensors in instead.items():
        pairs = [
            pair
            for (trial, _), tensor in zip(calls.followed(), tensors, strict=True)
            if (pair := _pair(trial, name, tensor)) is not None
        ]
        if pairs and any(not same(pair.expected, pair.got) for pair in pairs):
            of = f"`{name}`: " if len(stage.gives) > 1 else ""
            return of + _in_words(name, stage, pairs)
    if calls.result in stage.gives:
        outputs = [(t, _pair(t, calls.result, value_of(t.alone))) for t in calls.trials]
        pairs = [pair for _, pair in outputs if pair is not None]
        if pairs and len(pairs) == len(outputs):
            return _in_words(calls.result, stage, pairs)
        found = compare(calls.telling.trace[calls.result], value_of(calls.telling.alone))
        if found is not None and found.kind == "type":
            return f"`forward` should return {found.expected}, and returns {found.got}."
    return ""


def _smallest(calls: Calls, stage: Stage, chosen: Together, sets: Sequence[Together]) -> dict[str, Any]:
    """The smallest case in which the stage shows, as the evidence's entry; empty where none was found."""
    if calls.ask is no_more or calls.from_call_to_call():
        return {}
    pipeline, shown = calls.pipeline, calls.telling.alone
    others = tuple(mistake for mistake in chosen if mistake.stage != stage.name)

    def may_show(trace: Trace) -> bool:
        return not chosen or not _alike(pipeline, trace, chosen, others)

    def shows(trial: Trial) -> bool:
        if calls.right(trial) or type(trial.alone) is not type(shown):
            return False
        if sets:
            return bool(best(sets, lambda one, t: result_with(pipeline, t.trace, one), [trial]))
        if isinstance(trial.alone, Failed) and isinstance(shown, Failed):
            return trial.alone.error == shown.error
        return _kind_of_difference(trial, calls.result) == _kind_of_difference(calls.telling, calls.result)

    batched = calls.telling.case.kind == Kind.BATCHED
    found = smallest_case(pipeline, stage, calls.ask, shows, may_show, batched=batched)
    if found is None:
        return {}
    value, right, wrong, before = _at_stage(pipeline, stage, found, chosen)
    evidence = evidence_of(
        stage,
        value,
        found,
        before=before,
        shapes=pipeline.shapes,
        shown=shown_inputs(pipeline, stage),
        expected=found.trace[calls.result],
        got=value_of(found.alone),
        line_for=(right, wrong),
    )
    return {"smallest": evidence}


def _in_words(name: str, stage: Stage, pairs: Sequence[Pair]) -> str:
    """What the wrong tensors have in common; where nothing is known of that, how one of them differs.

    That is the worked example's, whose numbers everybody knows.
    """
    described = " ".join(describe_value(name, stage.gives[name], pairs))
    worked = next((pair for pair in pairs if pair.worked), None)
    found = None if worked is None else compare(worked.expected, worked.got, name=name)
    if described or found is None:
        return described
    return f"On the worked example: {found.describe()}."


def _at_stage(
    pipeline: Pipeline, stage: Stage, found: Trial, chosen: Together
) -> tuple[str, Any, Any, Trace]:
    """The stage's value that a mistake changes: its name, what it should be for what it got, what it is; and that."""
    for at, before, values in steps(pipeline, found.case, chosen):
        if at.name == stage.name:
            try:
                right = stage.named(stage.reference(**stage.arguments(before)))
            except Exception:  # noqa: BLE001 - what an earlier mistake gives need not fit this stage at all
                break
            for name in stage.gives:
                if not same(right[name], values[name]):
                    return name, right[name], values[name], before
            break
    name = next(iter(stage.gives))
    return name, found.trace[name], None, found.trace


def _alike(pipeline: Pipeline, right: Trace, one: Together, other: Together) -> bool:
    try:
        return alike(result_with(pipeline, right, one), result_with(pipeline, right, other))
    except Exception:  # noqa: BLE001 - a mistake raises what wrong code raises
        return False


def _kind_of_difference(trial: Trial, result: str) -> tuple[str | None, bool]:
    """Of what kind it is, and whether there are numbers in it at all."""
    got = value_of(trial.alone)
    found = compare(trial.trace[result], got)
    return found.kind if found else None, isinstance(got, Tensor) and bool(torch.isfinite(got).all())


def _pair(trial: Trial, name: str, got: object) -> Pair | None:
    expected = trial.trace[name]
    if not isinstance(expected, Tensor) or not isinstance(got, Tensor) or got.is_complex():
        return None
    return Pair(trial.trace, trial.case.sizes, trial.case.kind == Kind.WORKED, expected, got)
