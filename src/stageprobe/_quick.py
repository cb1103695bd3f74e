"""What IPython does more slowly than it need, done to the same effect: each submission pays for it anew."""

import os
from functools import cache
from typing import Any

import numpy as np
import stack_data
from ipykernel.compiler import XCachingCompiler, get_tmp_directory, get_tmp_hash_seed
from pygments.formatters.terminal256 import Terminal256Formatter

_MULTIPLIER = 0x5BD1E995
_WORD = 0xFFFFFFFF


class NamingCompiler(XCachingCompiler):
    """Gives a cell's code the file name that a kernel gives it."""

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:
        given = os.environ.get("IPYKERNEL_CELL_NAME")
        return given or f"{get_tmp_directory()}{os.sep}{murmur2(raw_code, get_tmp_hash_seed())}.py"


def murmur2(text: str, seed: int) -> int:
    """The 32-bit hash, as ``ipykernel.compiler.murmur2_x86`` has it."""
    data = text.encode()
    whole = len(data) & ~3
    words: Any = np.frombuffer(data, dtype="<u4", count=whole // 4).astype(np.uint64)
    words = words * _MULTIPLIER & _WORD
    words ^= words >> 24
    mixed = seed ^ len(data)
    for word in (words * _MULTIPLIER & _WORD).tolist():
        mixed = (mixed * _MULTIPLIER & _WORD) ^ word
    if whole < len(data):
        mixed = (mixed ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _WORD
    mixed = (mixed ^ mixed >> 13) * _MULTIPLIER & _WORD
    return mixed ^ mixed >> 15


def remember_styles() -> None:
    """Have the colours of a traceback worked out once: each makes a style and a formatter of its own."""
    styles: Any = stack_data
    styles.style_with_executing_node = cache(styles.style_with_executing_node)
    work_out = Terminal256Formatter._setup_styles
    known: dict[Any, dict[str, Any]] = {}

    def set_up(formatter: Any) -> None:
        which = (
            type(formatter),
            formatter.style,
            formatter.usebold,
            formatter.useunderline,
            formatter.useitalic,
        )
        if which not in known:
            work_out(formatter)
            known[which] = dict(formatter.style_string)
        formatter.style_string.update(known[which])

    Terminal256Formatter._setup_styles = set_up


def show_once(tracebacks: Any) -> None:
    """Have a traceback that was made to be shown serve for the history too, which asks for the same again."""
    make = tracebacks.structured_traceback
    last: list[Any] = [None, None]

    def once(kind: Any, error: Any, trace: Any, tb_offset: int | None = None, context: int = 5) -> Any:
        offset = tracebacks.tb_offset if tb_offset is None else tb_offset
        asked = kind, error, trace, offset, context
        if last[0] is None or any(was is not now for was, now in zip(last[0], asked, strict=True)):
            last[:] = [asked, make(kind, error, trace, tb_offset=tb_offset, context=context)]
        return list(last[1])

    tracebacks.structured_traceback = once
