"""Whether another process of this machine is grading the same assignment of the same course."""

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def running(root: Path, assignment: str) -> Iterator[int | None]:
    """Yields the process that is at it already, if there is one; meanwhile others are told of this one."""
    name = hashlib.sha256(f"{root.resolve()}\0{assignment}".encode()).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"stagegrade-{os.getuid()}-{name}.lock"
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        # It is a courtesy: nothing depends on it.
        yield None
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        said = os.read(lock, 20)
        os.close(lock)
        yield int(said) if said.isdigit() else None
        return
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    try:
        yield None
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(lock)
