"""Landlock: the kernel's own list of what a process may still open, connect to and signal (landlock(7))."""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress

from stageprobe._kernel import WallError, syscall

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
# By the version of the interface: what files and directories can be kept from.
_ALL = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE | _IOCTL_DEV
_NETWORK = 0b11
_SCOPES = 0b11

READ = READ_FILE | READ_DIR | EXECUTE
EVERYTHING = (1 << 16) - 1

CONFINES_SIGNALS = 6
"""The first version that keeps signals within."""


def version() -> int:
    """The kernel's version of Landlock; 0 where it has none, or where it is switched off."""
    try:
        return syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))
    except OSError:
        return 0


def restrict(rules: Iterable[tuple[str, int]]) -> None:
    """Leave this process, for good, only the given rights beneath the given paths, and no TCP.

    A path that does not exist is left out. Raises ``WallError``.
    """
    abi = version()
    if not abi:
        raise WallError("Landlock", os.strerror(errno.EOPNOTSUPP))
    handled = _ALL[min(abi, max(_ALL))]
    attributes = struct.pack("=Q", handled)
    if abi >= 4:
        attributes += struct.pack("=Q", _NETWORK)
    if abi >= CONFINES_SIGNALS:
        attributes += struct.pack("=Q", _SCOPES)
    try:
        ruleset = syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
        try:
            for path, rights in rules:
                with suppress(FileNotFoundError):
                    _allow(ruleset, path, rights & handled)
            syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))
        finally:
            os.close(ruleset)
    except OSError as error:
        raise WallError("Landlock", str(error)) from error


def _allow(ruleset: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, descriptor)
        syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint32(0))
    finally:
        os.close(descriptor)
