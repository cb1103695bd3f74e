"""Gathers a process's memory into huge pages, of which a fork copies one entry where it would copy 512."""

import ctypes
from collections.abc import Iterator

_HUGE = 2 << 20
_MADV_COLLAPSE = 25


def gather() -> None:
    """Wherever the kernel can (Linux 6.1 and newer); what it cannot gather stays as it is."""
    libc = ctypes.CDLL(None)
    libc.madvise.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    for start, end in list(_anonymous()):
        for at in range(-(-start // _HUGE) * _HUGE, end // _HUGE * _HUGE, _HUGE):
            libc.madvise(at, _HUGE, _MADV_COLLAPSE)


def _anonymous() -> Iterator[tuple[int, int]]:
    """Where the process's own memory lies: neither a file's, nor code, nor a stack."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            span, mode, *_, name = [*line.split(maxsplit=5), ""][:6]
            if mode == "rw-p" and (not name.strip() or name.startswith(("[heap]", "[anon"))):
                start, end = span.split("-")
                yield int(start, 16), int(end, 16)
