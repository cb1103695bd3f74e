"""The files that lie beside a notebook, read for the submission without following anything."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MAX_FILES = 2000
MAX_DEPTH = 16
_CHUNK = 8 << 20


def pieces(folder: Path, most: int) -> Iterator[tuple[str, bytes]]:
    """The regular files beneath ``folder`` by relative name, in pieces, until ``most`` bytes are reached.

    Links, devices, sockets and notebooks are left out, and so is the rest where there is more than the bound.
    """
    left, count = most, 0
    for name, descriptor in _regular(folder):
        with os.fdopen(descriptor, "rb") as file:
            count += 1
            if count > MAX_FILES or os.fstat(descriptor).st_size > left:
                return
            while True:
                data = file.read(min(_CHUNK, left + 1))
                left -= len(data)
                if left < 0:
                    return
                if data or not file.tell():
                    yield name, data
                if not data:
                    break


def _regular(folder: Path) -> Iterator[tuple[str, int]]:
    for parent, folders, names, directory in os.fwalk(folder, follow_symlinks=False):
        folders.sort()
        relative = Path(parent).relative_to(folder)
        if len(relative.parts) >= MAX_DEPTH:
            folders.clear()
        for name in sorted(names):
            if name.endswith(".ipynb"):
                continue
            with suppress(OSError, UnicodeEncodeError):
                (relative / name).as_posix().encode()
                # Not blocking: opening a pipe would wait for whoever writes to it.
                descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
                if stat.S_ISREG(os.fstat(descriptor).st_mode):
                    yield (relative / name).as_posix(), descriptor
                else:
                    os.close(descriptor)
