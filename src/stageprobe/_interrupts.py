"""The interrupt signal in a submission's process: what it does, and where it waits."""

import signal
import threading
from _signal import signal as set_handler  # type: ignore[import-not-found]
from collections.abc import Callable
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], object]


class on_interrupt:  # noqa: N801 - used as a statement's word
    """Within it ``handler``, which may raise, is called for SIGINT.

    Signals are the main thread's; in another thread this does nothing. Hundreds are entered for a notebook: so no
    generator, and not ``signal.signal``, which looks up the names of what it is given and gives back.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._before: Any = None
        self._in_main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self._in_main:
            self._before = set_handler(signal.SIGINT, self._handler)

    def __exit__(self, *raised: object) -> None:
        if self._in_main:
            set_handler(signal.SIGINT, self._before)


class held(on_interrupt):  # noqa: N801 - used as a statement's word
    """Holds an interrupt back to its end, so that a frame is sent whole.

    A handler of its own rather than a mask: with other threads about, the signal comes through one of them, and
    Python runs its handler in the main thread all the same.
    """

    def __init__(self) -> None:
        super().__init__(self._wait)
        self._waiting = False

    def _wait(self, signum: int, frame: FrameType | None) -> None:
        self._waiting = True

    def __exit__(self, *raised: object) -> None:
        super().__exit__(*raised)
        # Where something else was raised, that is what is told.
        if self._waiting and raised[0] is None:
            signal.raise_signal(signal.SIGINT)
