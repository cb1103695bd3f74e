"""The verdict for a stage that is a function of its own."""

from collections.abc import Sequence
from typing import Any

from stagegrade.diagnosis._compare import Difference
from stagegrade.diagnosis._describe import describe
from stagegrade.diagnosis._match import matching
from stagegrade.diagnosis._outcome import Answered, Failed, Lost, TimedOut
from stagegrade.diagnosis._trial import Trial, difference, is_right
from stagegrade.diagnosis._verdict import StageVerdict, Verdict
from stagegrade.pipelines import Case, Mistake, Pipeline, Stage


def judge_function(pipeline: Pipeline, stage: Stage, trials: Sequence[Trial]) -> StageVerdict:
    """Alone decides the verdict; chained only whether the stage carries an earlier stage's error."""
    wrong = [t for t in trials if not is_right(stage, t.trace, t.alone)]
    if not wrong:
        return _right(stage, trials)
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
        case Failed() as failed:
            return raised(stage, failed, shown.case)
        case _:
            found = difference(stage, shown.trace, shown.alone)
            assert found is not None
            return _diverging(pipeline, stage, trials, shown, found)


def _right(stage: Stage, trials: Sequence[Trial]) -> StageVerdict:
    carried = any(t.chained is not None and not is_right(stage, t.trace, t.chained) for t in trials)
    notes = _notes(trials)
    message = (
        "Right for right inputs. Its output in your notebook is off only because an earlier stage's is."
        if carried
        else "Right."
    )
    evidence: dict[str, Any] = {"notes": notes} if notes else {}
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


def raised(stage: Stage, failed: Failed, case: Case | None) -> StageVerdict:
    """The verdict for a stage that raised: not written yet, out of memory, or an error."""
    if failed.error == "NotImplementedError":
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


def _diverging(
    pipeline: Pipeline, stage: Stage, trials: Sequence[Trial], shown: Trial, found: Difference
) -> StageVerdict:
    matches = matching(pipeline, stage, trials)
    evidence: dict[str, Any] = {
        "expected": found.expected,
        "got": found.got,
        "difference": found.kind,
        "detail": found.detail,
    }
    if found.name:
        evidence["value"] = found.name
    if not matches:
        described = describe(stage, trials)
        if described:
            evidence["described"] = described
            return _verdict(stage, f"{described} ({found.describe()}.)", evidence, shown)
        return _verdict(stage, f"On the {shown.case.kind} case: {found.describe()}.", evidence, shown)
    mistake, message = explain(matches)
    if mistake is None:
        evidence["alternatives"] = [m.name for m in matches]
    evidence["hint"] = matches[0].hint
    return _verdict(stage, message, evidence, shown, mistake, matches[0].checkpoint)


def explain(matches: Sequence[Mistake]) -> tuple[str | None, str]:
    """The name, where there is one alone, and what to tell the student."""
    first = matches[0]
    if len(matches) == 1:
        return first.name, f"{first.sees} {first.why} {first.hint}"
    others = " or ".join(m.name for m in matches)
    return None, f"{first.sees} This is one of: {others}. {first.hint}"


def _verdict(
    stage: Stage,
    message: str,
    evidence: dict[str, Any],
    shown: Trial,
    mistake: str | None = None,
    checkpoint: str | None = None,
) -> StageVerdict:
    if checkpoint:
        evidence["checkpoint"] = checkpoint
    return StageVerdict(
        stage=stage.name,
        verdict=Verdict.DIVERGES,
        mistake=mistake,
        message=message,
        evidence=evidence,
        case=case_of(shown.case),
    )


def case_of(case: Case) -> dict[str, Any]:
    return {"kind": str(case.kind), "seed": case.seed}
