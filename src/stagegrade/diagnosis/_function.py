"""The verdict for a stage that is asked by itself: a function, or how a module holds its weights."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from stagegrade.diagnosis._apart import further_cases, telling_apart
from stagegrade.diagnosis._compare import Difference, same
from stagegrade.diagnosis._describe import describe
from stagegrade.diagnosis._match import best, matching
from stagegrade.diagnosis._outcome import Answered, Failed, Lost, TimedOut
from stagegrade.diagnosis._shrink import evidence_of, smallest_case
from stagegrade.diagnosis._trial import Ask, Trial, difference, is_right
from stagegrade.diagnosis._verdict import StageVerdict, Verdict
from stagegrade.pipelines import Case, Mistake, Pipeline, Stage, Trace, Value, shown_inputs


def judge_function(
    pipeline: Pipeline, stage: Stage, trials: Sequence[Trial], ask: Ask | None = None
) -> StageVerdict:
    """Alone decides the verdict; chained only whether the stage carries an earlier stage's error.

    Where the stage is wrong, ``ask`` puts further cases, which tell mistakes apart and find the smallest that
    shows it; they never change whether it is wrong.
    """
    wrong = [t for t in trials if not is_right(stage, t.trace, t.alone)]
    if not wrong:
        return _right(pipeline, stage, trials)
    # An answer that can be compared says more than an error on some other case.
    shown = next((t for t in wrong if isinstance(t.alone, Answered)), wrong[0])
    match shown.alone:
        case TimedOut(seconds):
            return StageVerdict(
                stage=stage.name,
                verdict=Verdict.TIMED_OUT,
                message=f"It did not return within {seconds:g} s. Is there a loop that never ends?",
                case=case_of(shown.case),
            )
        case Lost():
            return StageVerdict(
                stage=stage.name,
                verdict=Verdict.LOST,
                message="The notebook's process ended while this stage ran. Does it call exit?",
                case=case_of(shown.case),
            )
        case Failed() as failed if is_unwritten(failed) or failed.out_of_memory:
            return raised(stage, failed, shown.case)
        case _:
            stopped = any(isinstance(t.alone, (TimedOut, Lost)) for t in trials)
            return _explained(pipeline, stage, trials, shown, no_more if ask is None or stopped else ask)


def no_more(cases: Sequence[Case]) -> Sequence[Trial]:
    """Where nothing further may be asked."""
    del cases
    return []


def _right(pipeline: Pipeline, stage: Stage, trials: Sequence[Trial]) -> StageVerdict:
    carried = any(t.chained is not None and not is_right(stage, t.trace, t.chained) for t in trials)
    remarks = [m for m in pipeline.mistakes_of(stage) if m.remark]
    made = best(remarks, lambda mistake, trial: mistake.output(stage, trial.trace), trials)
    notes = _notes(trials) + [f"{m.sees} {m.why}" for m in made]
    message = (
        "Right for right inputs. Its output in your notebook is off only because an earlier stage's is."
        if carried
        else "Right."
    )
    evidence: dict[str, Any] = {"notes": notes} if notes else {}
    if made:
        evidence["remarks"] = [m.name for m in made]
    return StageVerdict(
        stage=stage.name,
        verdict=Verdict.CORRECT,
        carried=carried,
        message=" ".join([message, *notes]),
        evidence=evidence,
    )


def _notes(trials: Sequence[Trial]) -> list[str]:
    """What is right and still worth a word."""
    answers = [t.alone for t in trials if isinstance(t.alone, Answered)]
    notes = []
    changed = dict.fromkeys(name for a in answers for name in a.changed)
    if changed:
        names = ", ".join(f"`{name}`" for name in changed)
        notes.append(f"It changes its input {names} in place; a caller may still need the old values.")
    kinds = dict.fromkeys(kind for a in answers for kind in a.was if kind != "list")
    if kinds:
        notes.append(f"It returns {', '.join(kinds)} where a torch.Tensor is usual.")
    return notes


def is_unwritten(failed: Failed) -> bool:
    """Whether what a release puts in the place of a solution is still there; torch has other uses for the name."""
    return failed.error == "NotImplementedError" and "not implemented for" not in failed.message


def raised(stage: Stage, failed: Failed, case: Case | None) -> StageVerdict:
    """The verdict for a stage that raised: not written yet, out of memory, or an error."""
    if is_unwritten(failed):
        return StageVerdict(
            stage=stage.name, verdict=Verdict.MISSING, message="This stage is not written yet."
        )
    verdict = Verdict.OUT_OF_MEMORY if failed.out_of_memory else Verdict.RAISED
    return StageVerdict(
        stage=stage.name,
        verdict=verdict,
        message=f"It raised {failed.describe()}",
        evidence={
            "error": failed.error,
            "cell": failed.cell,
            "line": failed.line,
            "code": failed.source.strip(),
        },
        case=None if case is None else case_of(case),
    )


def _explained(
    pipeline: Pipeline, stage: Stage, trials: Sequence[Trial], shown: Trial, ask: Ask
) -> StageVerdict:
    matches = matching(pipeline, stage, trials)
    if len(matches) > 1:
        matches = _told_apart(pipeline, stage, matches, trials, ask)
    if isinstance(shown.alone, Failed):
        plain = raised(stage, shown.alone, shown.case)
        verdict, message, evidence = plain.verdict, plain.message, dict(plain.evidence)
        found = None
    else:
        found = difference(stage, shown.trace, shown.alone)
        assert found is not None
        verdict, message, evidence = Verdict.DIVERGES, "", shown_difference(found)
    mistake = None
    if matches:
        mistake, said = explain(matches)
        message = f"{said} {message}".strip()
        if mistake is None:
            evidence["alternatives"] = [m.name for m in matches]
        evidence["hint"] = matches[0].hint
        if matches[0].checkpoint:
            evidence["checkpoint"] = matches[0].checkpoint
    elif found is not None:
        described = _random(stage, shown, ask) or " ".join(describe(stage, trials))
        if described:
            evidence["described"] = described
        said = f"On the {shown.case.kind} case: {found.describe()}."
        message = f"{described} ({found.describe()}.)" if described else said
    smallest = _smallest(pipeline, stage, matches, shown, ask)
    if smallest is not None:
        evidence["smallest"] = smallest
    return StageVerdict(
        stage=stage.name,
        verdict=verdict,
        mistake=mistake,
        message=message,
        evidence=evidence,
        case=case_of(shown.case),
    )


def _random(stage: Stage, shown: Trial, ask: Ask) -> str:
    """In words, that a function does not give the same twice; empty where it does."""
    if stage.of != "function":
        return ""
    given = [t.alone.value for t in ask([shown.case, shown.case]) if isinstance(t.alone, Answered)]
    tensors = [value for value in given if isinstance(value, Tensor)]
    if len(tensors) < 2 or same(tensors[0], tensors[1], nan_equal=True):
        return ""
    return (
        "Two calls with the same input give different results: does it draw random numbers, or keep something "
        "from call to call?"
    )


def _told_apart(
    pipeline: Pipeline, stage: Stage, matches: Sequence[Mistake], trials: Sequence[Trial], ask: Ask
) -> tuple[Mistake, ...]:
    """Those of ``matches`` that also hold on further cases, chosen so that they differ there."""

    def output(mistake: Mistake, case: Case) -> Value:
        return mistake.output(stage, pipeline.run(case))

    seed = max(trial.case.seed for trial in trials)
    chosen = telling_apart(matches, output, further_cases(pipeline, stage, seed))
    more = list(ask(chosen)) if chosen else []
    if not more:
        return tuple(matches)
    remaining = best(matches, lambda mistake, trial: mistake.output(stage, trial.trace), more)
    return tuple(remaining)


def shown_difference(found: Difference) -> dict[str, Any]:
    evidence: dict[str, Any] = {
        "expected": found.expected,
        "got": found.got,
        "difference": found.kind,
        "detail": found.detail,
    }
    if found.name:
        evidence["value"] = found.name
    return evidence


def explain(matches: Sequence[Mistake]) -> tuple[str | None, str]:
    """The name, where there is one alone, and what to tell the student."""
    first = matches[0]
    if len(matches) == 1:
        return first.name, f"{first.sees} {first.why} {first.hint}"
    others = " or ".join(m.name for m in matches)
    return None, f"{first.sees} This is one of: {others}. {first.hint}"


def _smallest(
    pipeline: Pipeline, stage: Stage, matches: Sequence[Mistake], shown: Trial, ask: Ask
) -> dict[str, Any] | None:
    if ask is no_more:
        return None

    def may_show(trace: Trace) -> bool:
        return not matches or any(_differs(mistake, stage, trace) for mistake in matches)

    def shows(trial: Trial) -> bool:
        if is_right(stage, trial.trace, trial.alone) or type(trial.alone) is not type(shown.alone):
            return False
        if _is_finite(shown) and not _is_finite(trial):
            # A division of nothing by nothing would show another error than the one that was seen.
            return False
        if matches:
            return bool(best(matches, lambda m, t: m.output(stage, t.trace), [trial]))
        if isinstance(trial.alone, Failed):
            assert isinstance(shown.alone, Failed)
            return trial.alone.error == shown.alone.error
        one, other = (difference(stage, t.trace, t.alone) for t in (trial, shown))
        return one is not None and other is not None and (one.kind, one.name) == (other.kind, other.name)

    found = smallest_case(pipeline, stage, ask, shows, may_show, batched=False)
    if found is None:
        return None
    value, expected, got = _differing_value(stage, found)
    names = shown_inputs(pipeline, stage)
    evidence = evidence_of(
        stage, value, found, shown=names, expected=expected, got=got, shapes=pipeline.shapes
    )
    if value not in stage.gives or len(stage.gives) > 1:
        evidence["value"] = value
    return evidence


def _is_finite(trial: Trial) -> bool:
    value = trial.alone.value if isinstance(trial.alone, Answered) else None
    values = value if isinstance(value, tuple) else (value,)
    return all(bool(torch.isfinite(one).all()) for one in values if isinstance(one, Tensor))


def _differs(mistake: Mistake, stage: Stage, trace: Trace) -> bool:
    try:
        made = stage.named(mistake.output(stage, trace))
    except ValueError:
        return True
    except Exception:  # noqa: BLE001 - a mistake raises what wrong code raises
        return True
    return any(not same(trace[name], made[name]) for name in stage.gives)


def _differing_value(stage: Stage, trial: Trial) -> tuple[str, Any, Any]:
    """The first of the stage's values that is wrong: its name, what it should be, and what came."""
    first = next(iter(stage.gives))
    if not isinstance(trial.alone, Answered):
        return first, trial.trace[first], None
    if isinstance(trial.trace[first], Mapping):
        found = difference(stage, trial.trace, trial.alone)
        return (found.name, found.expected, found.got) if found else (first, None, None)
    try:
        made = stage.named(trial.alone.value)
    except ValueError:
        return first, tuple(trial.trace[name] for name in stage.gives), trial.alone.value
    for name in stage.gives:
        if not same(trial.trace[name], made[name]):
            return name, trial.trace[name], made[name]
    return first, trial.trace[first], made[first]


def case_of(case: Case) -> dict[str, Any]:
    return {"kind": str(case.kind), "seed": case.seed, "turn": case.turn}
