"""The interrupt signal in a submission's process: what it does, and where it waits."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], object]


@contextmanager
def on_interrupt(handler: Handler) -> Iterator[None]:
    """Within it ``handler``, which may raise, is called for SIGINT.

    Signals are the main thread's; in another thread this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def held() -> Iterator[None]:
    """Holds an interrupt back to its end, so that a frame is sent whole.

    A handler of its own rather than a mask: with other threads about, the signal comes through one of them, and
    Python runs its handler in the main thread all the same.
    """
    waiting = False

    def wait(signum: int, frame: FrameType | None) -> None:
        nonlocal waiting
        waiting = True

    with on_interrupt(wait):
        yield
    if waiting:
        signal.raise_signal(signal.SIGINT)
