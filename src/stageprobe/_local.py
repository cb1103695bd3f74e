"""Starts a judge beside a kernel in which an instructor runs a source notebook by hand."""

import importlib.util
import os
import socket
import subprocess
import sys

from stageprobe._desk import Desk
from stageprobe._wire import Channel, PeerGone

# Named, not imported: this side of the wall knows nothing of the other but how to start it.
_JUDGE = "stagegrade.autograde.local_judge"
# Held, so that none is taken for one that was forgotten; each ends when its line is closed.
_started: list["subprocess.Popen[bytes]"] = []


def local_desk() -> Desk:
    """A desk that speaks to a judge of its own, in a process that ends with this one.

    Raises ``RuntimeError`` where the judge's package is not installed or the judge does not start.
    """
    if importlib.util.find_spec("stagegrade") is None:
        raise RuntimeError(
            "answer() needs a judge, and the package stagegrade is not installed here. "
            "Students need nothing of it: hidden tests are taken out of a released notebook."
        )
    here, there = socket.socketpair()
    with there:
        judge = subprocess.Popen(
            [sys.executable, "-m", _JUDGE, str(there.fileno()), str(os.getpid())],
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
        )
    channel = Channel(here)
    try:
        channel.receive()
    except PeerGone as gone:
        channel.close()
        judge.wait()
        raise RuntimeError(
            "The judge did not start; what it said is in the terminal that Jupyter runs in."
        ) from gone
    _started.append(judge)
    return Desk(channel)
