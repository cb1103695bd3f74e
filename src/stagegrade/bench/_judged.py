"""Judges a sample in this very process, as a whole notebook: judge and probe talk as they do across the wall."""

import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stagegrade.bench._notebook import handed, right_notebook
from stagegrade.bench._sample import Sample, Wrong
from stagegrade.diagnosis import StageVerdict, first_divergence
from stagegrade.judge import ChannelLink, Judge, Offer
from stagegrade.pipelines import find
from stageprobe._desk import Desk
from stageprobe._wire import Channel

_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What came of one sample."""

    stage_right: bool
    """Whether the first divergence is the first stage that is wrong; where nothing is, whether nothing is blamed."""
    named: bool
    """Whether each mistake is named, or is among the alternatives that the verdict declares."""
    seconds: float
    """Processor time of judge and probe together, from the first question to the last verdict."""
    complaint: str
    """In one line, what was got wrong; empty where nothing was."""


def judged(sample: Sample) -> Judged:
    """Run a sample's code, and judge the notebook that it is a part of."""
    began = time.process_time()
    try:
        verdicts, seconds = _verdicts(sample)
    except Exception as error:  # noqa: BLE001 - told as what went wrong with this sample
        said = f"{sample}: it raised {type(error).__name__}: {error}"
        return Judged(stage_right=False, named=False, seconds=time.process_time() - began, complaint=said)
    by_stage = {found.stage: found for found in verdicts}
    first = first_divergence(verdicts)
    carried = [found.stage for found in verdicts if found.carried]
    found = [_compared(sample, reading, by_stage, first) for reading in sample.readings]
    stage_right, named = max(found)
    if sample.readings == ((),):
        stage_right = stage_right and not carried
    said = "" if stage_right and named else f"{sample}: {_said(verdicts, first, carried)}"
    return Judged(stage_right=stage_right, named=named, seconds=seconds, complaint=said)


def _compared(
    sample: Sample, wrong: Wrong, verdicts: dict[str, StageVerdict], first: str | None
) -> tuple[bool, bool]:
    pipeline = find(sample.pipeline)
    known = {(m.stage, m.name): m for m in pipeline.mistakes}
    costly = [stage for stage, name in wrong if not known[stage, name].remark]
    expected = costly[0] if costly else None
    return first == expected, all(name in _names(verdicts[stage]) for stage, name in wrong)


def _names(found: StageVerdict) -> list[str]:
    """The mistake's name, the alternatives to it, and remarks on what is right all the same."""
    alternatives = found.evidence.get("alternatives", [])
    return [*filter(None, [found.mistake]), *alternatives, *found.evidence.get("remarks", [])]


def _said(verdicts: Sequence[StageVerdict], first: str | None, carried: Sequence[str]) -> str:
    blamed = [
        f"{found.stage} {' or '.join(_names(found)) or found.verdict}"
        for found in verdicts
        if not found.passed
    ]
    said = f"first divergence {first or 'none'}" + (f" ({'; '.join(blamed)})" if blamed else "")
    return said + (f", carried {', '.join(carried)}" if carried and not blamed else "")


def _verdicts(sample: Sample) -> tuple[list[StageVerdict], float]:
    pipeline = find(sample.pipeline)
    own: dict[str, Any] = {"__name__": "student"}
    exec(compile(sample.code, f"<{sample}>", "exec"), own)  # noqa: S102 - this project's own sample code
    names, right = handed(sample.pipeline), right_notebook(sample.pipeline)
    offered = [
        (
            stage.name,
            own[sample.functions[stage.name]] if stage.name in sample.functions else right[names[stage.name]],
        )
        for stage in pipeline.asked
    ]
    began = time.process_time()
    found = _heard(Judge(pipeline, sample.seed, call_timeout=_SECONDS), offered)
    return found, time.process_time() - began


class _Line(ChannelLink):
    """The judge's end. Code measured here is this project's own: it is not interrupted."""

    def interrupt(self) -> None:
        raise RuntimeError("code of the benchmark did not return in time")

    def end(self) -> None:
        self._channel.close()


def _heard(judge: Judge, offered: Sequence[tuple[str, object]]) -> list[StageVerdict]:
    """The judge's verdicts on what is handed over for stages, in pipeline order."""
    ours, theirs = socket.socketpair()
    failed: list[BaseException] = []

    def probe() -> None:
        desk = Desk(Channel(theirs))
        try:
            for stage, one in offered:
                desk.answer(f"{judge.pipeline.name}.{stage}", one)
        except BaseException as error:  # noqa: BLE001 - told to whoever waits for the verdicts
            failed.append(error)
            theirs.close()

    thread = threading.Thread(target=probe)
    thread.start()
    channel = Channel(ours)
    line = _Line(channel)
    try:
        for _ in offered:
            offer = Offer.read(channel.receive(deadline=time.monotonic() + _SECONDS).header)
            judge.hear(offer, line)
            line.send({"do": "close"})
    finally:
        ours.close()
        thread.join(_SECONDS)
        theirs.close()
    if failed:
        raise failed[0]
    return judge.verdicts
