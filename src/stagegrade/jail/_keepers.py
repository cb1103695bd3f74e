"""The lines of keepers that wait for a submission to keep."""

import os
import socket
import threading


class Keepers:
    """Of one warm process. A line is given back after each submission, so that the next need not wait for a fork.

    A process that was forked from the one that they were given back in has none of them: each is spoken to by one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._waiting: list[socket.socket] = []
        self._closed = False

    def take(self) -> socket.socket | None:
        """A line whose keeper waits, as far as is known; ``None`` where there is none."""
        with self._lock:
            self._disown()
            return self._waiting.pop() if self._waiting else None

    def give(self, line: socket.socket) -> None:
        """Give back a line on which nothing more will come of the submission before."""
        with self._lock:
            self._disown()
            if self._closed:
                line.close()
            else:
                self._waiting.append(line)

    def close(self) -> None:
        """Let the keepers end: those that wait now, and each of the others when it is given back."""
        with self._lock:
            self._closed = True
            self._drop()

    def _disown(self) -> None:
        if self._owner != os.getpid():
            self._drop()
            self._owner = os.getpid()

    def _drop(self) -> None:
        for line in self._waiting:
            line.close()
        self._waiting.clear()
