"""Builds the walls around one submission, from inside, before any of its code runs.

Two processes take part. The keeper goes first, once for the submissions that follow one another in its namespaces,
and stays outside of the last walls. A submission's own process makes the place for its files, and then shuts itself
in for good. What fails raises ``WallError``; nothing is left out silently.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from stageprobe import _kernel, _landlock, _seccomp
from stageprobe._kernel import WallError
from stageprobe._limits import Limits

STUDENT = 1000
"""The submission's user within its own user namespace."""

_DEVICES = _landlock.READ | _landlock.WRITE_FILE | 1 << 15


class Walls(StrEnum):
    """What stands between a submission and everything else."""

    NAMESPACES = "namespaces"
    """Namespaces of its own, within an outer wall of bubblewrap; a filter of system calls; Landlock."""
    LANDLOCK = "landlock"
    """Where new namespaces are forbidden: Landlock and a filter of system calls."""
    NONE = "none"
    """Nothing, because a person asked for it. Bounds on what it uses hold all the same."""


@dataclass(frozen=True)
class Readable:
    """A path that code in a notebook may read where no mount hides the rest; ``listed``: names only."""

    path: str
    listed: bool = False


def new_process_namespace(own: int) -> int:
    """Fork into a process namespace of its own; ``own`` is an open file of the caller's. As ``os.fork``."""
    _kernel.unshare(_kernel.CLONE_NEWPID)
    try:
        pid = os.fork()
    except OSError:
        _kernel.set_namespace(own, _kernel.CLONE_NEWPID)
        raise
    if pid:
        _kernel.set_namespace(own, _kernel.CLONE_NEWPID)
    return pid


def enclose() -> None:
    """The keeper's part, once, as the first process of its namespace: what its submissions find, one after another.

    None can leave anything in it for the next: processes are ended, and nobody has privileges over the network, which
    is empty. What is to be seen of either is mounted for each anew: modes and times of files there are their owner's.
    """
    _kernel.unshare(_kernel.CLONE_NEWNS | _kernel.CLONE_NEWNET | _kernel.CLONE_NEWIPC | _kernel.CLONE_NEWUTS)
    _kernel.mount(None, "/", None, _kernel.MS_REC | _kernel.MS_PRIVATE)
    quiet = _kernel.MS_NOSUID | _kernel.MS_NODEV | _kernel.MS_NOEXEC
    _kernel.mount("proc", "/proc", "proc", quiet, "subset=pid")
    # Each finds it built.
    _filter_of_namespaces()


def furnish(limits: Limits, scratch: str) -> None:
    """The submission's first part: files, terminals and a view of its processes that are its alone, and end with it."""
    _kernel.unshare(_kernel.CLONE_NEWNS)
    quiet = _kernel.MS_NOSUID | _kernel.MS_NOEXEC
    _kernel.mount("proc", "/proc", "proc", quiet | _kernel.MS_NODEV, "subset=pid,hidepid=ptraceable")
    _kernel.mount("devpts", "/dev/pts", "devpts", quiet, "newinstance,ptmxmode=0666,mode=600")
    size = f"size={limits.scratch_bytes},nr_inodes={1024 + limits.scratch_bytes // 8192},mode=1777"
    _kernel.mount("tmpfs", scratch, "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NODEV, size)
    # Shared memory counts as scratch.
    shared = Path(scratch, ".shm")
    shared.mkdir()
    shared.chmod(0o1777)
    _kernel.mount(str(shared), "/dev/shm", None, _kernel.MS_BIND)


def become_student(user: int) -> None:
    """Leave the keeper's user namespace for one of its own, as ``user`` of the outer one."""
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        # A change of user hides /proc/self from its own process.
        _kernel.prctl(_kernel.PR_SET_DUMPABLE, 1)
    group = os.getegid()
    _kernel.unshare(_kernel.CLONE_NEWUSER)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{STUDENT} {user} 1"),
        ("gid_map", f"{STUDENT} {group} 1"),
    ):
        try:
            with open(f"/proc/self/{name}", "wb", buffering=0) as file:
                file.write(text.encode())
        except OSError as error:
            raise WallError("user namespace", f"{name}: {error.strerror}") from error


def shut(walls: Walls, scratch: str, readable: Sequence[Readable]) -> None:
    """The submission's own part, the last before its code: privileges, files, signals and system calls."""
    _kernel.drop_capabilities()
    _kernel.refuse_new_privileges()
    landlock = _landlock.version()
    if walls == Walls.NAMESPACES:
        if landlock:
            shared = [("/dev", _DEVICES), ("/dev/shm", _landlock.EVERYTHING)]
            _landlock.restrict([("/", _landlock.READ), (scratch, _landlock.EVERYTHING), *shared])
        _seccomp.install(_filter_of_namespaces())
        return
    rules = [(r.path, _landlock.READ_DIR if r.listed else _landlock.READ) for r in readable]
    devices = [(f"/dev/{name}", _DEVICES) for name in ("null", "zero", "full", "random", "urandom")]
    _landlock.restrict([*rules, *devices, (scratch, _landlock.EVERYTHING)])
    alone = None if landlock >= _landlock.CONFINES_SIGNALS else os.getpid()
    _seccomp.install(_seccomp.build(sockets=False, only_self=alone))


def _filter_of_namespaces() -> bytes:
    return _seccomp.build(sockets=True, only_self=None)


def keep_only(descriptors: Sequence[int]) -> None:
    """Close every file but the three standard ones and ``descriptors``."""
    last = 2
    for kept in sorted(descriptors):
        os.closerange(last + 1, kept)
        last = kept
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))
