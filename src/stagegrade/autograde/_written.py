"""A notebook as text, as nbformat writes it, without its checks and copies: what is written was made here."""

import json
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any

from nbformat import NotebookNode
from nbformat.v4.rwbase import split_lines, strip_transient

_TEXT = frozenset([str])
_WORDS = {None: "null", True: "true", False: "false"}


def notebook_text(notebook: NotebookNode) -> str:
    """The text of its file. The notebook is used up: its texts are cut into lines in place."""
    parts: list[str] = []
    _put(strip_transient(split_lines(notebook)), "\n", parts.append)
    parts.append("\n")
    return "".join(parts)


def _put(value: Any, line: str, put: Callable[[str], None]) -> None:
    """JSON with sorted keys, one space deeper a level; ``line`` is the beginning of a line at this one."""
    if isinstance(value, str):
        put(encode_basestring(value))
    elif isinstance(value, dict) and value:
        deeper = line + " "
        between = "{" + deeper
        for key in sorted(value):
            inner = value[key]
            # Most of a notebook's values; for each a call of its own would take longer than what it does.
            if isinstance(inner, str):
                put(f"{between}{encode_basestring(key)}: {encode_basestring(inner)}")
            else:
                put(f"{between}{encode_basestring(key)}: ")
                _put(inner, deeper, put)
            between = "," + deeper
        put(line + "}")
    elif isinstance(value, (list, tuple)) and value:
        deeper = line + " "
        put("[" + deeper)
        if _TEXT.issuperset(map(type, value)):
            put(f",{deeper}".join(map(encode_basestring, value)))
        else:
            for number, item in enumerate(value):
                if number:
                    put("," + deeper)
                _put(item, deeper, put)
        put(line + "]")
    elif value is None or value is True or value is False:
        put(_WORDS[value])
    else:
        put(json.dumps(value))
