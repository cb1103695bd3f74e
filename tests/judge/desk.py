"""A judge and a desk in one process: what a test hands over is asked as it would be through the wall."""

import socket
import threading

from stagegrade.diagnosis import StageVerdict
from stagegrade.judge import ChannelLink, Judge, Offer
from stagegrade.pipelines import find
from stageprobe._desk import Desk
from stageprobe._wire import Channel


class InProcess(ChannelLink):
    """The judge's link to a desk in another thread. A thread cannot be interrupted; the line is cut instead."""

    def interrupt(self) -> None:
        pass

    def end(self) -> None:
        self._channel.close()


def judge_of(pipeline: str, seed: int = 7) -> Judge:
    return Judge(find(pipeline, []), seed)


def hand(judge: Judge, stage: str, handed: object) -> StageVerdict:
    """The verdict for ``handed``, as a grade cell hands it over."""
    here, there = socket.socketpair()
    desk = Desk(Channel(there))
    answering = threading.Thread(
        target=desk.answer, args=(f"{judge.pipeline.name}.{stage}", handed), daemon=True
    )
    with here, there:
        answering.start()
        line = Channel(here)
        verdict = judge.hear(Offer.read(line.receive().header), InProcess(line))
        line.send({"do": "close"})
        answering.join(timeout=20)
    assert not answering.is_alive(), "the desk was not closed"
    return verdict


def alone(pipeline: str, stage: str, handed: object) -> StageVerdict:
    """The verdict where no other stage was handed over."""
    return hand(judge_of(pipeline), stage, handed)
