"""A filter of system calls: what code in a notebook has no use for is refused by the kernel.

The filter is a program of the classic Berkeley Packet Filter, put together here (seccomp(2)). A call that
is not named is allowed, so that ordinary code never meets the filter; one that is newer than this table is
answered as a kernel answers that lacks it.
"""

import ctypes
import errno
import os
import platform
import socket
import struct
from dataclasses import dataclass
from functools import cache

from stageprobe._kernel import WallError, prctl

_PR_SET_SECCOMP = 22
_MODE_FILTER = 2
_PR_GET_SECCOMP = 21

_LOAD, _EQUAL, _GREATER, _BIT_SET, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

_NEWEST = 462
"""``mseal``, of Linux 6.10; the calls of later kernels are answered with ENOSYS."""

_NEW_NAMESPACES = 0x7E020080
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C

# Numbers on x86-64 and on aarch64; 0 where an architecture lacks the call (0 is itself never refused).
_REFUSED: dict[str, tuple[int, int]] = {
    # Other namespaces, mounts and roots.
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429), "open_tree": (428, 428),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "swapon": (167, 224), "swapoff": (168, 225),
    # Other processes.
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "pidfd_getfd": (438, 438),
    "kcmp": (312, 272), "move_pages": (279, 239), "migrate_pages": (256, 238),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setattr": (314, 274),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119),
    # The kernel itself.
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "fanotify_init": (300, 262), "fanotify_mark": (301, 263), "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42), "personality": (135, 92), "modify_ldt": (154, 0), "uselib": (134, 0),
    "iopl": (172, 0), "ioperm": (173, 0), "acct": (163, 89), "syslog": (103, 116), "vhangup": (153, 58),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162),
    # Memory that no limit counts.
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196),
    "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193), "semtimedop": (220, 192),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "mq_open": (240, 180),
    "mbind": (237, 235), "set_mempolicy": (238, 237), "set_mempolicy_home_node": (450, 450),
}  # fmt: skip
_TO_OTHERS: dict[str, tuple[int, int]] = {
    # What signals a process that is not named by the first argument.
    "tkill": (200, 130), "pidfd_send_signal": (424, 424), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "prlimit64": (302, 261),
}  # fmt: skip


@dataclass(frozen=True)
class _Architecture:
    audit: int
    column: int
    socket: int
    clone: int
    clone3: int
    ioctl: int
    kill: int
    tgkill: int
    prlimit64: int
    sched_setaffinity: int


_ARCHITECTURES = {
    "x86_64": _Architecture(0xC000003E, 0, 41, 56, 435, 16, 62, 234, 302, 203),
    "aarch64": _Architecture(0xC00000B7, 1, 198, 220, 435, 29, 129, 131, 261, 122),
}


@cache
def build(*, sockets: bool, only_self: int | None, machine: str | None = None) -> bytes:
    """The filter's program.

    ``sockets``: whether sockets of the Unix family may be made; those of every other family may not.
    ``only_self``: the process that alone may be signalled, where nothing else confines signals.

    Raises ``WallError`` where the machine's architecture is not known.
    """
    machine = machine or platform.machine()
    if machine not in _ARCHITECTURES:
        raise WallError("seccomp", f"no table of system calls for {machine}")
    known = _ARCHITECTURES[machine]
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, known.audit),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_AT),
        # Above the newest; x86-64's second table of numbers lies there too.
        (_GREATER, 0, 1, _NEWEST),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        # Its flags lie in memory, where no filter can look; the C library then uses clone.
        *_on(known.clone3, [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]),
        *_on(known.clone, _argument(0, [(_BIT_SET, 0, 1, _NEW_NAMESPACES & ~0x80), _refuse(errno.EPERM)])),
        *_on(known.ioctl, _argument(1, _any_of((_TIOCSTI, _TIOCLINUX), errno.EPERM))),
    ]
    if sockets:
        family = [(_EQUAL, 1, 0, int(socket.AF_UNIX)), _refuse(errno.EACCES)]
        program += _on(known.socket, _argument(0, family))
    else:
        program += _on(known.socket, [_refuse(errno.EACCES)])
    # Limits of this process, 0, may be read and lowered, and its processors chosen; those of the grader's, which may
    # be the same user's, may not.
    for number in (known.prlimit64, known.sched_setaffinity):
        program += _on(number, _argument(0, [(_EQUAL, 1, 0, 0), _refuse(errno.EPERM)]))
    refused = {name: numbers[known.column] for name, numbers in _REFUSED.items()}
    if only_self is not None:
        for number in (known.kill, known.tgkill):
            program += _on(number, _argument(0, [(_EQUAL, 1, 0, only_self), _refuse(errno.EPERM)]))
        others = {name: numbers[known.column] for name, numbers in _TO_OTHERS.items()}
        refused |= {name: number for name, number in others.items() if name != "prlimit64"}
    for number in sorted(set(refused.values()) - {0}):
        program += [(_EQUAL, 0, 1, number), _refuse(errno.EPERM)]
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def install(program: bytes) -> None:
    """Put the filter on this process and all that it starts, for good. Raises ``WallError``."""

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))

    given = _Program(len(program) // 8, program)
    prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(given))
    if prctl(_PR_GET_SECCOMP) != _MODE_FILTER:
        raise WallError("seccomp", os.strerror(errno.EINVAL))


_Instruction = tuple[int, int, int, int]


def _refuse(error: int) -> _Instruction:
    return (_RETURN, 0, 0, _ERRNO | error)


def _on(number: int, body: list[_Instruction]) -> list[_Instruction]:
    return [(_EQUAL, 0, len(body), number), *body]


def _argument(index: int, body: list[_Instruction]) -> list[_Instruction]:
    """``body`` with the low half of an argument to look at, then the call's number again."""
    return [(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * index), *body, (_LOAD, 0, 0, _NUMBER_AT)]


def _any_of(values: tuple[int, ...], error: int) -> list[_Instruction]:
    return [instruction for value in values for instruction in ((_EQUAL, 0, 1, value), _refuse(error))]
