"""Standard output and error of a cell, as messages in the order a Jupyter kernel would send them."""

import codecs
import fcntl
import io
import os
import threading
from collections.abc import Callable

# As often as a kernel's own streams: output of a cell that is killed is not lost but for the last moment.
FLUSH_SECONDS = 0.2
FLUSH_CHARACTERS = 1 << 16
MAX_TAKEN = 32 << 20
"""Of what was written to the descriptor since the last look, the bytes that are read; more is no use to anybody."""


class CellStream(io.TextIOBase):
    """One of the two streams: what Python writes to it, and what other code writes to its file descriptor.

    ``send`` is called with the stream's name and a piece of text.
    """

    encoding = "UTF-8"
    errors = "replace"

    def __init__(self, name: str, descriptor: int, send: Callable[[str, str], None]) -> None:
        self.name = name
        self._owner = os.getpid()
        self._descriptor = descriptor
        self._send = send
        self._parts: list[str] = []
        self._length = 0
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._read_to = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # A file rather than a pipe: a pipe that nobody reads would stop the writer.
        self._file = os.memfd_create(name)
        # Whoever opens it anew, as a shell does for /dev/stdout, must not be written over.
        fcntl.fcntl(self._file, fcntl.F_SETFL, os.O_APPEND)
        os.dup2(self._file, descriptor)

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text)}")
        if os.getpid() != self._owner:
            # A process that the cell forked: what it says goes the way of any other program's output.
            return self._write_descriptor(text)
        with self._lock:
            self._take_from_descriptor()
            self._parts.append(text)
            self._length += len(text)
            if self._length >= FLUSH_CHARACTERS:
                self.flush()
            elif self._timer is None:
                self._timer = threading.Timer(FLUSH_SECONDS, self.flush)
                self._timer.daemon = True
                self._timer.start()
        return len(text)

    def _write_descriptor(self, text: str) -> int:
        os.write(self._descriptor, text.encode("utf-8", "replace"))
        return len(text)

    def flush(self) -> None:
        if os.getpid() != self._owner:
            return
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._take_from_descriptor()
            text = "".join(self._parts)
            self._parts.clear()
            self._length = 0
            for start in range(0, len(text), FLUSH_CHARACTERS):
                self._send(self.name, text[start : start + FLUSH_CHARACTERS])

    def _take_from_descriptor(self) -> None:
        size = os.fstat(self._file).st_size
        # Who opened it anew may have emptied it.
        self._read_to = min(self._read_to, size)
        if size > self._read_to:
            data = os.pread(self._file, min(size - self._read_to, MAX_TAKEN), self._read_to)
            self._read_to = size
            self._parts.append(self._decoder.decode(data))
            self._length += len(data)
