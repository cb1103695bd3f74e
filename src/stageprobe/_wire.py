"""Frames between judge and probe: a JSON header and a plain buffer, each preceded by its length.

A frame is two big-endian lengths (4 and 8 bytes), the header as UTF-8 JSON, then the payload's bytes. Nothing
on the wire is ever unpickled or evaluated, and no length is believed beyond its bound.
"""

import json
import socket
import struct
import threading
import time
from dataclasses import dataclass
from typing import Any, NoReturn

from stageprobe._interrupts import held

MAX_HEADER = 1 << 20
MAX_PAYLOAD = 64 << 20
MAX_NESTING = 64
_LENGTHS = struct.Struct(">IQ")
_CHUNK = 1 << 16


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

    def __init__(self, connection: socket.socket, max_payload: int = MAX_PAYLOAD) -> None:
        self._connection = connection
        self._max_payload = max_payload
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
        head = _ENCODER.encode(header).encode()
        if len(head) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
            raise WireError(f"a frame of {len(head)} + {len(payload)} bytes is over the bound")
        view = memoryview(_LENGTHS.pack(len(head), len(payload)) + head + payload)
        with self._sending, held():
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
        self._await(_LENGTHS.size, deadline)
        head_length, payload_length = _LENGTHS.unpack_from(self._arrived)
        if head_length > MAX_HEADER or payload_length > self._max_payload:
            raise WireError(f"a frame of {head_length} + {payload_length} bytes is over the bound")
        end = _LENGTHS.size + head_length + payload_length
        self._await(end, deadline)
        whole = bytes(self._arrived[_LENGTHS.size : end])
        # What has arrived of the frames after it stays.
        del self._arrived[:end]
        return Frame(json_object(whole[:head_length]), whole[head_length:])

    @property
    def has_more(self) -> bool:
        """Whether some of the next frame has arrived, so that the connection itself may stay silent."""
        return bool(self._arrived)

    def _await(self, count: int, deadline: float | None) -> None:
        while len(self._arrived) < count:
            left = self._left(deadline)
            try:
                self._connection.settimeout(left)
                chunk = self._connection.recv(_CHUNK)
            except TimeoutError:
                raise DeadlinePassed from None
            except OSError as error:
                raise PeerGone(str(error)) from error
            if not chunk:
                raise PeerGone("the other side closed the connection")
            self._arrived += chunk

    @staticmethod
    def _left(deadline: float | None) -> float | None:
        if deadline is None:
            return None
        left = deadline - time.monotonic()
        if left <= 0:
            raise DeadlinePassed
        return left


def json_object(data: bytes) -> dict[str, Any]:
    """The JSON object that ``data`` is, its text such as UTF-8 can hold. Raises ``WireError``."""
    try:
        found = _DECODER.decode(data.decode())
        # Where there is no escape there is no half of a surrogate pair, and few brackets do not nest deep.
        if b"\\u" in data or data.count(b"[") + data.count(b"{") > MAX_NESTING:
            found = _writable(found, 0)
    except (ValueError, RecursionError) as error:
        raise WireError(f"what should be JSON is not: {str(error)[:200]}") from error
    if not isinstance(found, dict):
        raise WireError("what should be a JSON object is another value")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# ``json.dumps`` and ``json.loads`` make one for each call.
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _writable(found: Any, depth: int) -> Any:
    if depth > MAX_NESTING:
        raise ValueError("it nests too deep")
    if isinstance(found, str):
        return found.encode("utf-8", "replace").decode()
    if isinstance(found, list):
        return [_writable(item, depth + 1) for item in found]
    if isinstance(found, dict):
        return {_writable(key, depth): _writable(item, depth + 1) for key, item in found.items()}
    return found
