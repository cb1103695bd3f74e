"""Folders that are put together beside their place: no two graders meet in one, and what is moved last stands."""

import errno
import functools
import os
import re
import shutil
import socket
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

ABANDONED_SECONDS = 24 * 3600.0
"""After so long without a change, what another machine began is taken for left behind."""
_NAME = re.compile(r"(?P<host>.+)-(?P<process>\d+)-[0-9a-f]{8}")


@functools.cache
def own_name() -> str:
    """Tells this machine and process; no other grader has it, also where a share is all that they have in common."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"


def remove_leftovers(folder: Path, prefix: str) -> None:
    """Remove what graders that were killed left in ``folder``, named ``prefix`` with their own name."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        name = path.name
        if (
            name.startswith(prefix)
            and name.endswith((".partial", ".replaced"))
            and _is_abandoned(path, prefix)
        ):
            shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(path: Path, prefix: str) -> bool:
    found = _NAME.fullmatch(path.stem.removeprefix(prefix))
    if found and found["host"] == socket.gethostname():
        mine = int(found["process"]) == os.getpid()
        return found[0] != own_name() if mine else not Path("/proc", found["process"]).exists()
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime > ABANDONED_SECONDS
    return False


def put_in_place(made: Path, place: Path) -> None:
    """Move the folder ``made`` to ``place``, whose own goes; where several do so at once, the last one's stands."""
    aside = made.with_suffix(".replaced")
    while True:
        with suppress(FileNotFoundError):
            place.rename(aside)
            shutil.rmtree(aside, ignore_errors=True)
        try:
            made.rename(place)
            return
        except OSError as error:
            # Unless another grader's has come there meanwhile.
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise


def move_into(file: Path, target: Path) -> None:
    """Move a file into a folder that another grader may be replacing."""
    while True:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            file.replace(target)
            return
        except FileNotFoundError:
            if not file.exists():
                raise
