"""Frames between judge and probe: a JSON header and a plain buffer, each preceded by its length.

A frame is two big-endian lengths (4 and 8 bytes), the header as UTF-8 JSON, then the payload's bytes. Nothing
on the wire is ever unpickled or evaluated, and no length is believed beyond its bound.
"""

import json
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

MAX_HEADER = 1 << 20
MAX_PAYLOAD = 64 << 20
_LENGTHS = struct.Struct(">IQ")
_CHUNK = 1 << 20


class WireError(Exception):
    """What came over the wire is no frame, or breaks a bound."""


class PeerGone(WireError):
    """The other side closed the connection."""


class DeadlinePassed(Exception):
    """Nothing whole arrived before the deadline. What has arrived so far is kept for the next try."""


@dataclass(frozen=True)
class Frame:
    header: dict[str, Any]
    payload: bytes = b""


class Channel:
    """One end of a connected stream socket, speaking frames."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._arrived = bytearray()
        self._sending = threading.Lock()

    def fileno(self) -> int:
        return self._connection.fileno()

    def close(self) -> None:
        self._connection.close()

    def send(self, header: dict[str, Any], payload: bytes = b"", *, deadline: float | None = None) -> None:
        """Send one frame, by ``deadline`` (of ``time.monotonic``) where one is given.

        Raises ``WireError`` where it breaks a bound, ``PeerGone``, ``DeadlinePassed``.
        """
        head = json.dumps(header, separators=(",", ":")).encode()
        if len(head) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
            raise WireError(f"a frame of {len(head)} + {len(payload)} bytes is over the bound")
        view = memoryview(_LENGTHS.pack(len(head), len(payload)) + head + payload)
        with self._sending, _whole():
            while view:
                left = self._left(deadline)
                try:
                    self._connection.settimeout(left)
                    sent = self._connection.send(view)
                except TimeoutError:
                    raise DeadlinePassed from None
                except OSError as error:
                    raise PeerGone(str(error)) from error
                view = view[sent:]

    def receive(self, *, deadline: float | None = None) -> Frame:
        """The next frame, by ``deadline`` (of ``time.monotonic``) where one is given.

        Raises ``PeerGone``, ``DeadlinePassed``, and ``WireError`` for anything that is not a frame.
        """
        head_length, payload_length = _LENGTHS.unpack(self._peek(_LENGTHS.size, deadline))
        if head_length > MAX_HEADER or payload_length > MAX_PAYLOAD:
            raise WireError(f"a frame of {head_length} + {payload_length} bytes is over the bound")
        whole = self._peek(_LENGTHS.size + head_length + payload_length, deadline)
        self._arrived.clear()
        head = whole[_LENGTHS.size : _LENGTHS.size + head_length]
        try:
            header = json.loads(head)
        except (ValueError, RecursionError) as error:
            raise WireError(f"a header is not JSON: {error}") from error
        if not isinstance(header, dict):
            raise WireError("a header is not an object")
        return Frame(header, whole[_LENGTHS.size + head_length :])

    def _peek(self, count: int, deadline: float | None) -> bytes:
        while len(self._arrived) < count:
            left = self._left(deadline)
            try:
                self._connection.settimeout(left)
                chunk = self._connection.recv(min(_CHUNK, count - len(self._arrived)))
            except TimeoutError:
                raise DeadlinePassed from None
            except OSError as error:
                raise PeerGone(str(error)) from error
            if not chunk:
                raise PeerGone("the other side closed the connection")
            self._arrived += chunk
        return bytes(self._arrived)

    @staticmethod
    def _left(deadline: float | None) -> float | None:
        if deadline is None:
            return None
        left = deadline - time.monotonic()
        if left <= 0:
            raise DeadlinePassed
        return left


@contextmanager
def _whole() -> Iterator[None]:
    """Holds an interrupt back until a frame is sent whole."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
