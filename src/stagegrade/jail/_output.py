"""What a cell showed: a kernel's messages, each held to its form, all of them within bounds."""

import re
from dataclasses import dataclass
from typing import Any

from stageprobe._limits import Limits
from stageprobe._wire import WireError, json_object

MAX_MESSAGES = 10_000
_FLOOD = 16
"""How many times the output that is kept a cell may send before it is stopped."""
_STREAMS = ("stdout", "stderr")
_JSON = re.compile(r"application/(.*\+)?json")

Message = tuple[str, dict[str, Any]]


class Flood(Exception):
    """A cell shows far more than is kept of it."""


@dataclass
class Room:
    """How many bytes of output are kept: of any one cell, and of all cells that are still to come."""

    cell: int = Limits.cell_output_bytes
    notebook: int = Limits.notebook_output_bytes


class Output:
    """The messages of one cell, in order. Whatever a process sends, a notebook that holds them is a valid one."""

    def __init__(self, room: Room | None = None) -> None:
        self._room = room or Room()
        self._sent = 0
        self.cut = False
        """Whether something was dropped because there was too much."""
        self._messages: list[Message] = []
        self._kept = 0
        # Pieces of the stream that is being written to, to be joined once: where it was cut is a matter of time.
        self._stream = ""
        self._pieces: list[str] = []

    @property
    def messages(self) -> list[Message]:
        self._close_stream()
        return self._messages

    def add(self, kind: Any, payload: bytes, left_out: Any = None) -> None:
        """Keep a message of ``kind`` whose content is ``payload``, as JSON, if it is one that a notebook shows.

        ``left_out`` says that the process itself left out a message that is too large. Raises ``Flood``.
        """
        room = self._room
        size = len(payload) if left_out is None else room.cell + 1
        self._sent += size
        if self._sent > _FLOOD * (room.cell + 1):
            self.cut = True
            raise Flood
        if self._kept + size > room.cell or size > room.notebook or len(self._messages) >= MAX_MESSAGES:
            self.cut = True
            return
        self._kept += size
        room.notebook -= size
        try:
            content = _checked(kind, json_object(payload))
        except WireError:
            return
        if content is None:
            return
        if kind != "stream":
            self._close_stream()
            self._messages.append((kind, content))
            return
        if content["name"] != self._stream:
            self._close_stream()
            self._stream = content["name"]
        self._pieces.append(content["text"])

    def _close_stream(self) -> None:
        if self._pieces:
            self._messages.append(("stream", {"name": self._stream, "text": "".join(self._pieces)}))
            self._pieces = []
        self._stream = ""


def checked_reply(content: dict[str, Any]) -> dict[str, Any]:
    """The content of an execute reply, its parts of the types that they have in a kernel's."""
    reply: dict[str, Any] = {"status": "ok", "execution_count": _count(content.get("execution_count"))}
    if content.get("status") != "ok":
        reply |= {"status": "error", **_error(content)}
    return reply


def texts(found: Any) -> tuple[str, ...]:
    """The short texts of a list, whatever it is."""
    return (
        tuple(item[:200] for item in found[:20] if isinstance(item, str)) if isinstance(found, list) else ()
    )


def _checked(kind: Any, content: dict[str, Any]) -> dict[str, Any] | None:
    match kind:
        case "stream":
            if content.get("name") in _STREAMS and isinstance(content.get("text"), str):
                return {"name": content["name"], "text": content["text"]}
        case "display_data" | "update_display_data":
            return _display(content)
        case "execute_result":
            return {**_display(content), "execution_count": _count(content.get("execution_count"))}
        case "error":
            return _error(content)
        case "clear_output":
            return {"wait": content.get("wait") is True}
    return None


def _display(content: dict[str, Any]) -> dict[str, Any]:
    data, metadata, transient = (_object(content.get(key)) for key in ("data", "metadata", "transient"))
    display_id = transient.get("display_id")
    return {
        "data": {kind: item for kind, item in data.items() if _JSON.fullmatch(kind) or _is_text(item)},
        "metadata": metadata,
        "transient": {"display_id": display_id} if isinstance(display_id, str) else {},
    }


def _error(content: dict[str, Any]) -> dict[str, Any]:
    traceback = content.get("traceback")
    return {
        "ename": _text(content.get("ename")),
        "evalue": _text(content.get("evalue")),
        "traceback": [_text(line) for line in traceback] if isinstance(traceback, list) else [],
    }


def _object(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _text(found: Any) -> str:
    return found if isinstance(found, str) else ""


def _is_text(found: Any) -> bool:
    return isinstance(found, str) or (isinstance(found, list) and all(isinstance(x, str) for x in found))


def _count(found: Any) -> int | None:
    return found if type(found) is int and 0 <= found < 1 << 31 else None
