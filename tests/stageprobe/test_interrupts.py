"""An interrupt is heard by whom it is for, and not in the middle of a frame."""

import os
import signal

import pytest

from stageprobe._interrupts import held, on_interrupt


class Heard(Exception):
    pass


def hear(signum: int, frame: object) -> None:
    raise Heard


def interrupted(raises: type[Exception] | None, done: list[str]) -> None:
    with on_interrupt(hear), held():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("whole")
        if raises is not None:
            raise raises


def test_it_is_held_back_to_the_end() -> None:
    """Half a frame would be sent, and the line to the judge be broken."""
    done: list[str] = []
    with pytest.raises(Heard):
        interrupted(None, done)
    assert ["whole"] == done


def test_what_else_was_raised_is_told() -> None:
    """That the other side is gone would be taken for an interrupt of the cell."""
    with pytest.raises(BrokenPipeError):
        interrupted(BrokenPipeError, [])


def test_whoever_heard_it_before_hears_it_after() -> None:
    """Ctrl-C would end nothing any more, or the wrong thing."""
    before = signal.getsignal(signal.SIGINT)
    with on_interrupt(hear), held():
        pass
    assert before is signal.getsignal(signal.SIGINT)
