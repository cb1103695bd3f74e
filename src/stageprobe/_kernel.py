"""Calls to the Linux kernel that Python's own modules do not make."""

import ctypes
import os
from functools import cache
from typing import Any

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

_CAPABILITY_VERSION_3 = 0x20080522


class WallError(Exception):
    """A wall could not be built. ``wall`` names it, ``why`` is the kernel's answer."""

    def __init__(self, wall: str, why: str) -> None:
        super().__init__(f"{wall}: {why}")
        self.wall = wall
        self.why = why


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def checked(wall: str, name: str, *arguments: Any) -> int:
    """Call a function of the C library. Raises ``WallError`` where it returns a negative number."""
    result: int = getattr(_libc(), name)(*arguments)
    if result < 0:
        raise WallError(wall, f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


def syscall(number: int, *arguments: Any) -> int:
    """Make a system call by its number. Raises ``OSError``."""
    result: int = _libc().syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def unshare(flags: int) -> None:
    checked("namespaces", "unshare", ctypes.c_int(flags))


def set_namespace(descriptor: int, kind: int) -> None:
    checked("namespaces", "setns", ctypes.c_int(descriptor), ctypes.c_int(kind))


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    def text(given: str | None) -> bytes | None:
        return None if given is None else os.fsencode(given)

    checked(
        f"mount of {target}",
        "mount",
        text(source),
        text(target),
        text(kind),
        ctypes.c_ulong(flags),
        text(options),
    )


def prctl(option: int, *arguments: int) -> int:
    given = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    return checked("privileges", "prctl", ctypes.c_int(option), *given)


def drop_capabilities() -> None:
    """Give up every capability, for this process and all that it starts."""
    for capability in range(64):
        # Beyond the last that the kernel knows it answers EINVAL; without CAP_SETPCAP there is none to drop.
        if _libc().prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    checked("privileges", "capset", header, (ctypes.c_uint32 * 6)())


def refuse_new_privileges() -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
