"""A notebook as text, as nbformat writes it, without its checks and copies: what is written was made here."""

import json
from collections.abc import Iterable, Iterator
from json.encoder import encode_basestring
from typing import Any

from nbformat import NotebookNode
from nbformat.v4.rwbase import split_lines, strip_transient


def notebook_text(notebook: NotebookNode) -> str:
    """The text of its file. The notebook is used up: its texts are cut into lines in place."""
    return "".join(_json(strip_transient(split_lines(notebook)), "\n")) + "\n"


def _json(value: Any, line: str) -> Iterator[str]:
    """JSON with sorted keys, one space deeper a level; ``line`` is the beginning of a line at this one."""
    if isinstance(value, str):
        yield encode_basestring(value)
    elif isinstance(value, dict) and value:
        deeper = line + " "
        between = "{" + deeper
        for key in sorted(value):
            yield f"{between}{encode_basestring(key)}: "
            yield from _json(value[key], deeper)
            between = "," + deeper
        yield line + "}"
    elif isinstance(value, (list, tuple)) and value:
        deeper = line + " "
        yield "[" + deeper
        if all(isinstance(item, str) for item in value):
            yield f",{deeper}".join(_quoted(value))
        else:
            for number, item in enumerate(value):
                if number:
                    yield "," + deeper
                yield from _json(item, deeper)
        yield line + "]"
    else:
        yield _plain(value)


def _quoted(texts: Iterable[str]) -> Iterator[str]:
    return map(encode_basestring, texts)


def _plain(value: Any) -> str:
    return json.dumps(value)
