"""A judge beside a kernel, for an instructor who runs a source notebook by hand.

Started by ``stageprobe`` as ``python -m stagegrade.autograde.local_judge FD PID``: FD is its end of the line to the
kernel, PID the kernel's process.
"""

import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from traitlets.config import Config

from stagegrade.autograde._course import CONFIG_NAME, course_around, course_config, pipeline_folders
from stagegrade.autograde._grading import seed_of
from stagegrade.autograde._source import pipeline_and_stage
from stagegrade.autograde._where import placed
from stagegrade.judge import CALL_TIMEOUT, ChannelLink, Judge, Offer
from stagegrade.pipelines import BrokenPipeline, NoSuchPipeline, find
from stagegrade.report import panel
from stageprobe._wire import Channel, DeadlinePassed, PeerGone


class _Line(ChannelLink):
    """The judge's link to the kernel."""

    def __init__(self, channel: Channel, pid: int) -> None:
        super().__init__(channel)
        self._pid = pid

    def interrupt(self) -> None:
        os.kill(self._pid, signal.SIGINT)

    def end(self) -> None:
        """The kernel is the instructor's own: it is left alone, and the line given up."""
        raise SystemExit(1)


def main() -> None:
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    line = _Line(channel, int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel.send({"is": "ready"})
    judges: dict[str, Judge] = {}
    while True:
        try:
            header = channel.receive().header
            channel.send({"do": "close", "panel": _hear(header, line, judges)})
        except (PeerGone, DeadlinePassed):
            return


def _hear(header: dict[str, Any], line: _Line, judges: dict[str, Judge]) -> dict[str, str]:
    offer = Offer.read(header)
    name, stage = pipeline_and_stage(offer.stage)
    try:
        if name not in judges:
            judges[name] = Judge(find(name, _folders(Path.cwd())), seed_of("", name, "by hand"), CALL_TIMEOUT)
        judges[name].pipeline.stage(stage)
    except (NoSuchPipeline, BrokenPipeline, KeyError) as error:
        return {"text/plain": f"stagegrade: {error.args[0]}"}
    found = placed(judges[name].hear(offer, line), str(header.get("cell")))
    return panel({**vars(found), "points": float(found.earns), "max_points": 1.0})


def _folders(here: Path) -> list[Path]:
    """Where the pipelines are of the course that a kernel was started in. Raises ``BrokenPipeline``."""
    root = course_around(here)
    if root is None:
        # The course may be configured for all of a machine. A notebook's own folder is source/ASSIGNMENT.
        return pipeline_folders(Config(), here.parent.parent if here.parent.name == "source" else here)
    try:
        return pipeline_folders(course_config(root), root)
    except Exception as error:  # whatever the instructor's own file raises
        raise BrokenPipeline(root / CONFIG_NAME, f"{type(error).__name__}: {error}") from error


if __name__ == "__main__":
    main()
