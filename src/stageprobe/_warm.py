"""The warm process: has torch and IPython imported, and forks for each submission.

Started with its end of the control line, a SEQPACKET socket. The first message in is its task, as JSON. Each one
after that asks for a fork and carries two files: the socket that the submission's process is to be spoken to by, and
the line of its keeper. Out go two messages: that it is here, and that it is ready.
"""

import gc
import json
import linecache
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stageprobe import _kernel, _pages, _walls
from stageprobe._keeper import Keeper
from stageprobe._limits import Limits, Used, lower, threads_of_user
from stageprobe._wake import wake_on_signals
from stageprobe._walls import Readable, Walls
from stageprobe._wire import Channel

MAX_MESSAGE = 1 << 18
_NICE = 10


@dataclass(frozen=True)
class Task:
    """What a warm process is started for."""

    walls: Walls
    user: int
    """Whom submissions run as, of the users that this process can become; 0 for its own."""
    scratch: str
    """Where each submission finds its scratch, in a mount namespace of its own."""
    preload: tuple[str, ...]
    readable: tuple[Readable, ...]

    @classmethod
    def read(cls, text: bytes) -> "Task":
        given = json.loads(text)
        return cls(
            walls=Walls(given["walls"]),
            user=given["user"],
            scratch=given["scratch"],
            preload=tuple(given["preload"]),
            readable=tuple(Readable(*found) for found in given["readable"]),
        )


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    task = Task.read(control.recv(MAX_MESSAGE))
    _say(control, {"is": "here"})
    # From Python 3.13 on, the command that started this would be shown for whatever line a cell evaluates.
    linecache.cache.pop("<string>", None)
    # Before anything of IPython is imported, which looks at them once.
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    import numpy as np
    import torch

    from stageprobe._session import Session
    from stageprobe._shell import Shell

    torch.set_num_threads(1)
    _use(torch, np)
    shell = Shell()
    shell.warm()
    for name in task.preload:
        __import__(name)
    session = Session(shell)
    gc.collect()
    # What is warm is shared with every fork; a collection there would copy all of it.
    gc.freeze()
    _pages.gather()
    _say(control, {"is": "ready"})
    _serve(control, task, session)


def _use(torch: Any, np: Any) -> None:
    """Compute a little. The first of each finds out about the processor and loads libraries, from files that are
    not there behind the walls; nothing here starts a thread, as a backward pass would, which no fork survives."""
    square = torch.rand(64, 64)
    torch.nn.functional.scaled_dot_product_attention(square, square, square)
    repr(torch.nn.Linear(64, 64)(torch.einsum("ij,jk->ik", square, square).softmax(dim=-1)))
    repr(square[:2, :2].clone())
    torch.arange(9.0).sort()
    # Imported by whoever draws first, which in each submission is the shell.
    np.random.seed()


def _serve(control: socket.socket, task: Task, session: Any) -> None:
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    used = Used.of_this_process()
    wake = wake_on_signals()
    signal.signal(signal.SIGCHLD, lambda signum, frame: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        readable, _, _ = select.select([control.fileno(), wake], [], [])
        if wake in readable:
            os.read(wake, 512)
            _reap()
        if control.fileno() in readable:
            message, descriptors, _, _ = socket.recv_fds(control, MAX_MESSAGE, 2)
            if not message:
                # Nobody is left to ask. Keepers see their own lines closed, and end what they keep.
                return
            channel, line = descriptors
            pid = _walls.new_process_namespace(own) if task.walls == Walls.NAMESPACES else os.fork()
            if pid == 0:
                _become_keeper(json.loads(message), task, used, channel, line, session)
            os.close(channel)
            os.close(line)


def _become_keeper(
    request: dict[str, Any], task: Task, used: Used, channel: int, line: int, session: Any
) -> None:
    code = 1
    made = None
    try:
        signal.set_wakeup_fd(-1)
        os.setsid()
        _walls.keep_only([channel, line])
        os.sched_setaffinity(0, request["processors"])
        limits = Limits(**request["limits"])
        spoken = Channel(socket.socket(fileno=channel))
        try:
            if task.walls == Walls.NAMESPACES:
                _walls.enclose(limits, task.scratch)
                scratch = task.scratch
            else:
                _kernel.prctl(_kernel.PR_SET_CHILD_SUBREAPER, 1)
                scratch = made = tempfile.mkdtemp(prefix="submission-")
            pid = os.fork()
            if pid == 0:
                _become_submission(request["env"], task, limits, used, scratch, spoken, session)
            heard = socket.socket(fileno=line)
            spoken.close()
            Keeper(pid, heard, limits, used, made).keep()
            code = 0
        except Exception as error:  # noqa: BLE001 - whatever it was, the walls do not stand
            _refuse(spoken, error)
    finally:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
        # Never back into the warm process's own loop, whatever happened.
        os._exit(code)


def _become_submission(
    environment: dict[str, str],
    task: Task,
    limits: Limits,
    used: Used,
    scratch: str,
    channel: Channel,
    session: Any,
) -> None:
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _walls.keep_only([channel.fileno()])
        os.setsid()
        session.listen(channel, limits)
        try:
            if task.walls == Walls.NAMESPACES:
                _walls.become_student(task.user)
                lower(limits, used, others=0)
            else:
                # The kernel counts all that this user runs; and the keeper must come to its turn beside a crowd.
                lower(limits, used, others=threads_of_user())
                os.nice(_NICE)
            if task.walls != Walls.NONE:
                _walls.shut(task.walls, scratch, task.readable)
            _settle(scratch, environment)
        except Exception as error:  # noqa: BLE001 - whatever it was, the walls do not stand
            _refuse(channel, error)
            return
        session.serve(channel)
        code = 0
    finally:
        os._exit(code)


def _settle(scratch: str, environment: dict[str, str]) -> None:
    """A working directory and a home; what is there to be found of the system is its own."""
    for name in ("work", "home"):
        Path(scratch, name).mkdir()
    os.chdir(f"{scratch}/work")
    os.environ.pop("PWD", None)
    os.environ.update({"HOME": f"{scratch}/home", "TMPDIR": scratch, **environment})
    tempfile.tempdir = None


def _refuse(channel: Channel, error: Exception) -> None:
    with suppress(Exception):
        channel.send({"is": "refused", "why": f"{type(error).__name__}: {error}"[:1000]})


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _say(control: socket.socket, message: dict[str, Any]) -> None:
    # Where the trusted side is gone, the loop sees the closed socket and ends.
    with suppress(OSError):
        control.send(json.dumps(message).encode())


if __name__ == "__main__":
    main()
