"""One submission's process: runs the cells that it is sent, one after another, until it is told to end."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from jupyter_client.jsonutil import json_clean, json_default

from stageprobe._answer import sit_at
from stageprobe._desk import Desk
from stageprobe._shell import Shell
from stageprobe._wire import Channel, Frame, PeerGone


def run(shell: Shell, channel: Channel) -> None:
    """Serve ``channel`` to its end. Frames in: ``run`` with a cell's code; out: ``iopub``, ``offer``, ``done``."""

    def publish(kind: str, content: dict[str, Any]) -> None:
        channel.send({"is": "iopub", "type": kind}, _packed(content))

    _find_modules_beside_the_notebook()
    shell.publish_to(publish)
    sit_at(Desk(channel))
    asyncio.run(_serve(shell, channel))


async def _serve(shell: Shell, channel: Channel) -> None:
    while True:
        try:
            frame = await _next(channel)
        except PeerGone:
            return
        if frame.header.get("do") != "run":
            return
        reply = await shell.run_cell(frame.payload.decode(), frame.header.get("cell"))
        channel.send({"is": "done"}, _packed(reply))
        if shell.ip.exit_now:
            os._exit(0)


async def _next(channel: Channel) -> Frame:
    """The next frame; until it begins to arrive, what the cells left running in the loop goes on."""
    loop = asyncio.get_running_loop()
    readable = loop.create_future()
    loop.add_reader(channel.fileno(), lambda: None if readable.done() else readable.set_result(None))
    try:
        await readable
    finally:
        loop.remove_reader(channel.fileno())
    return channel.receive()


def _packed(content: dict[str, Any]) -> bytes:
    """JSON as a kernel's messages have it: dates, bytes and NaN made into what JSON can hold."""
    try:
        return json.dumps(content, default=json_default, allow_nan=False).encode()
    except (TypeError, ValueError):
        return json.dumps(json_clean(content), default=json_default, allow_nan=False).encode()


def _find_modules_beside_the_notebook() -> None:
    """As a kernel does: the working folder is looked in after the standard library, before installed packages.

    The interpreter was started isolated, so that whatever lay where the grader runs could not be imported.
    """
    names = [Path(path).name for path in sys.path]
    sys.path.insert(names.index("site-packages") if "site-packages" in names else 0, "")
