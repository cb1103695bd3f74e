"""What a stage inside ``forward`` may be found to be, where no mistake is told of it."""

from stagegrade.diagnosis._outcome import Outcome, TimedOut
from stagegrade.diagnosis._verdict import Confidence, StageVerdict, Verdict
from stagegrade.pipelines import Stage


def correct(stage: Stage, confidence: Confidence, *, carried: bool) -> StageVerdict:
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


def unlocated(stage: Stage) -> StageVerdict:
    return StageVerdict(
        stage=stage.name,
        verdict=Verdict.DIVERGES,
        message="Nothing that `forward` made shows whether this stage is right. Mend the first "
        "stage that diverges; then this one can be seen.",
        evidence={"confidence": str(Confidence.UNLOCATED)},
    )


def not_there(stage: Stage) -> StageVerdict:
    gives = ", ".join(f"`{name}`" for name in stage.gives)
    return StageVerdict(
        stage=stage.name,
        verdict=Verdict.MISSING,
        message=f"`forward` is not seen to compute {gives} ({stage.formula}), and what it returns does not depend "
        "on it.",
        evidence={"confidence": str(Confidence.UNLOCATED)},
    )


def not_ended(stage: Stage, outcome: Outcome) -> StageVerdict:
    if isinstance(outcome, TimedOut):
        message = f"`forward` did not return within {outcome.seconds:g} s. Is there a loop that never ends?"
        return StageVerdict(stage=stage.name, verdict=Verdict.TIMED_OUT, message=message)
    message = "The notebook's process ended inside `forward`. Does it call exit?"
    return StageVerdict(stage=stage.name, verdict=Verdict.LOST, message=message)


def not_reached(stage: Stage, why: str) -> StageVerdict:
    return StageVerdict(stage=stage.name, verdict=Verdict.NOT_REACHED, message=f"Not reached: {why}")
