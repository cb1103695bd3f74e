"""One submission's process: runs the cells that it is sent, one after another, until it is told to end."""

import asyncio
import json
import os
from typing import Any

from stageprobe._answer import sit_at
from stageprobe._desk import Desk
from stageprobe._shell import Shell
from stageprobe._wire import Channel, Frame, PeerGone


def run(shell: Shell, channel: Channel) -> None:
    """Serve ``channel`` to its end. Frames in: ``run`` with a cell's code; out: ``iopub``, ``offer``, ``done``."""

    def publish(kind: str, content: dict[str, Any]) -> None:
        channel.send({"is": "iopub", "type": kind}, json.dumps(content, default=str).encode())

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
        channel.send({"is": "done"}, json.dumps(reply, default=str).encode())
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
