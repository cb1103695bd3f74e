"""The warm process: has torch and IPython imported, and forks the keepers of submissions.

Started with its end of the control line, a SEQPACKET socket. The first message in is its task, as JSON. Each one
after that carries a file, the line of a keeper to be forked. Out go two messages: that it is here, and that it is
ready.
"""

import gc
import json
import linecache
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from stageprobe import _pages
from stageprobe._keeper import Keeper
from stageprobe._limits import Used
from stageprobe._task import Task
from stageprobe._wake import wake_on_signals

MAX_MESSAGE = 1 << 18


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    task = Task.read(control.recv(MAX_MESSAGE))
    _say(control, {"is": "here"})
    # From Python 3.13 on, the command that started this would be shown for whatever line a cell evaluates.
    linecache.cache.pop("<string>", None)
    # Before anything of IPython is imported, which looks at them once.
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    # What each submission runs through comes before torch and its hundred megabytes, so that it lies side by side: a
    # fork copies each page of it that is touched.
    from stageprobe._shell import Shell

    shell = Shell()
    import numpy as np
    import torch

    from stageprobe._session import Session

    torch.set_num_threads(1)
    _use(torch, np)
    shell.warm()
    for name in task.preload:
        __import__(name)
    session = Session(shell)
    _keep_lines()
    gc.collect()
    # What is warm is shared with every fork; a collection there would copy all of it.
    gc.freeze()
    _pages.gather()
    _say(control, {"is": "ready"})
    _serve(control, Keeper(task, Used.of_this_process(), session))


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


def _keep_lines() -> None:
    """Spare each traceback the question for every library's file whether it is still what was read."""
    for name, known in linecache.cache.items():
        if len(known) == 4:
            size, _, lines, path = known
            linecache.cache[name] = size, None, lines, path


def _serve(control: socket.socket, keeper: Keeper) -> None:
    wake = wake_on_signals()
    signal.signal(signal.SIGCHLD, lambda signum, frame: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        readable, _, _ = select.select([control.fileno(), wake], [], [])
        if wake in readable:
            os.read(wake, 512)
            _reap()
        if control.fileno() in readable:
            message, lines, _, _ = socket.recv_fds(control, MAX_MESSAGE, 1)
            if not message:
                # Nobody is left to ask. Keepers see their own lines closed, and end what they keep.
                return
            keeper.start(lines[0])
            os.close(lines[0])


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
