"""Characters that act on a terminal, or turn the direction of what follows, in text that comes from a student."""

import re
from typing import Any

# Colours, which tracebacks are full of, are the one kind of escape sequence that acts on nothing.
_COLOUR = r"\x1b\[[0-9;:]*m"
_SEQUENCE = re.compile(
    r"\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)"  # a title, a link, a device's string, up to its end
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # cursor, screen, modes
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_KEPT = re.compile(f"({_COLOUR})")
# Tabs, line ends, and what rewrites its own line, such as a progress bar.
_CONTROLS = re.compile("[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shown_text(text: str) -> str:
    """``text`` as a notebook may keep it: of its escape sequences only colours are left."""
    if not _CONTROLS.search(text):
        return text
    pieces = _KEPT.split(text)
    pieces[::2] = [_CONTROLS.sub("", _SEQUENCE.sub("", piece)) for piece in pieces[::2]]
    return "".join(pieces)


def shown_lines(found: Any) -> Any:
    """``shown_text`` of a text, or of each in a list."""
    if isinstance(found, list):
        return [shown_lines(item) for item in found]
    return shown_text(found) if isinstance(found, str) else found


def plain_text(text: str) -> str:
    """``text`` without any escape sequence or other control character but tabs and line ends."""
    if not _CONTROLS.search(text) and "\b" not in text and "\r" not in text:
        return text
    return _CONTROLS.sub("", _SEQUENCE.sub("", text)).replace("\b", "").replace("\r", "")


def without_controls(found: Any) -> Any:
    """The same data with ``plain_text`` for every text in it."""
    if isinstance(found, str):
        return plain_text(found)
    if isinstance(found, dict):
        return {without_controls(key): without_controls(value) for key, value in found.items()}
    if isinstance(found, (list, tuple)):
        return [without_controls(item) for item in found]
    return found
