"""The warm process: has torch and IPython imported, and forks once for each submission.

Started as ``python -I -m stageprobe._warm FD``, FD being one end of a SEQPACKET socket. Each message in asks for a
fork and carries one end of the socket that the submission's process is to be spoken to by; each message out says
that it is ready, that it forked, or that a child ended.
"""

import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

MAX_MESSAGE = 1 << 16


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    # Before anything of IPython is imported, which looks at them once.
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    import torch

    from stageprobe._shell import Shell

    torch.set_num_threads(1)
    shell = Shell()
    shell.warm()
    for name in json.loads(sys.argv[2]) if len(sys.argv) > 2 else []:
        __import__(name)
    gc.collect()
    # What is warm is shared with every fork; a collection there would copy all of it.
    gc.freeze()
    _say(control, {"is": "ready"})
    _serve(control, shell)


def _serve(control: socket.socket, shell: Any) -> None:
    children: set[int] = set()
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda signum, frame: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        readable, _, _ = select.select([control.fileno(), wake], [], [])
        if wake in readable:
            os.read(wake, 512)
            _reap(control, children)
        if control.fileno() in readable:
            message, descriptors, _, _ = socket.recv_fds(control, MAX_MESSAGE, 1)
            if not message:
                break
            request = json.loads(message)
            pid = os.fork()
            if pid == 0:
                _become_submission(request, control, descriptors[0], (wake, woken), shell)
            children.add(pid)
            os.close(descriptors[0])
            _say(control, {"is": "forked", "pid": pid})
    for pid in children:
        _kill_group(pid)


def _become_submission(
    request: dict[str, Any], control: socket.socket, descriptor: int, pipe: tuple[int, int], shell: Any
) -> None:
    from stageprobe._session import run
    from stageprobe._wire import Channel

    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        for end in pipe:
            os.close(end)
        os.setsid()
        os.chdir(request["cwd"])
        os.environ.update(request["env"])
        run(shell, Channel(socket.socket(fileno=descriptor)))
        code = 0
    finally:
        # Never back into the warm process's own loop, whatever happened.
        os._exit(code)


def _reap(control: socket.socket, children: set[int]) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid in children:
            children.discard(pid)
            _kill_group(pid)
            _say(control, {"is": "ended", "pid": pid, "status": os.waitstatus_to_exitcode(status)})


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _say(control: socket.socket, message: dict[str, Any]) -> None:
    # Where the trusted side is gone, the loop sees the closed socket and ends.
    with suppress(OSError):
        control.send(json.dumps(message).encode())


if __name__ == "__main__":
    main()
