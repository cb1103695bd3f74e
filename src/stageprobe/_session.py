"""One submission's process: runs the cells that it is sent, one after another, until it is told to end."""

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import torch
from jupyter_client.jsonutil import json_clean, json_default

from stageprobe._answer import sit_at
from stageprobe._desk import Desk
from stageprobe._limits import Limits
from stageprobe._shell import Shell
from stageprobe._whole import Whole
from stageprobe._wire import Channel, Frame, PeerGone


class Session:
    """What serves a submission, made in the warm process; each fork has a copy of its own.

    There it takes in what tests rely on, as it was before any code of a notebook's ran.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._whole = Whole(shell.ip)
        names = [PurePosixPath(path).name for path in sys.path]
        self._before_installed = names.index("site-packages") if "site-packages" in names else 0

    def listen(self, channel: Channel, limits: Limits) -> None:
        """Send what cells show and hand over through ``channel`` from now on."""

        owner = os.getpid()

        def publish(kind: str, content: dict[str, Any]) -> None:
            if os.getpid() != owner:
                # A process that a cell forked has no cell to show anything in.
                return
            data = _packed(content)
            header: dict[str, Any] = {"is": "iopub", "type": kind}
            if len(data) > limits.cell_output_bytes:
                # It would not be kept; only that there was so much is worth sending.
                header["left_out"], data = len(data), b""
            channel.send(header, data)

        # As a kernel does: modules beside the notebook come after the standard library, before installed packages. The
        # interpreter was started isolated, so that whatever lay where the grader runs could not be imported.
        sys.path.insert(self._before_installed, "")
        _draw_other_numbers()
        self._shell.publish_to(publish)
        desk = Desk(channel, limits.answer_bytes)
        sit_at(desk)
        self._whole.watch(channel, desk, self._shell.session)

    def serve(self, channel: Channel) -> None:
        """Serve ``channel`` to its end.

        Frames in: ``put`` with a file's next bytes, ``run`` with a cell's code. Out: ``ready`` first, then
        ``began``, ``iopub``, ``offer``, ``done``.
        """
        channel.send({"is": "ready"})
        asyncio.run(self._serve(channel))

    async def _serve(self, channel: Channel) -> None:
        owner = os.getpid()
        shell, whole = self._shell, self._whole
        while True:
            try:
                frame = await _next(channel)
            except PeerGone:
                return
            match frame.header.get("do"):
                case "put":
                    _put(str(frame.header["name"]), frame.payload)
                case "run":
                    reply = await shell.run_cell(
                        frame.payload.decode(),
                        frame.header.get("cell"),
                        lambda: channel.send({"is": "began"}),
                        quiet=frame.header.get("quiet") is True,
                    )
                    if os.getpid() != owner:
                        # A copy that a cell forked has come to the cell's end; the notebook goes on in the other.
                        os._exit(0)
                    channel.send({"is": "done", "replaced": whole.replaced()}, _packed(reply))
                    if shell.ip.exit_now:
                        os._exit(0)
                case _:
                    return


def _put(name: str, data: bytes) -> None:
    """Add to a file in the working directory, which holds again what the notebook's own folder does."""
    path = Path(*PurePosixPath(name).parts)
    # Where the scratch is full, code that needs the file says so.
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(data)


async def _next(channel: Channel) -> Frame:
    """The next frame; until it begins to arrive, what the cells left running in the loop goes on."""
    if channel.has_more:
        return channel.receive()
    loop = asyncio.get_running_loop()
    readable = loop.create_future()
    loop.add_reader(channel.fileno(), lambda: None if readable.done() else readable.set_result(None))
    try:
        await readable
    finally:
        loop.remove_reader(channel.fileno())
    return channel.receive()


def _draw_other_numbers() -> None:
    """As two kernels do; forks of one process would all draw alike. Python's own ``random`` sees to itself."""
    # The processor's alone: of others there are none here, and looking for them takes long.
    torch.default_generator.seed()
    # Left to itself it draws as many bits, and takes far longer to make a state of them.
    np.random.seed(np.frombuffer(os.urandom(16), np.uint32))


def _packed(content: dict[str, Any]) -> bytes:
    """JSON as a kernel's messages have it: dates, bytes and NaN made into what JSON can hold."""
    try:
        return json.dumps(content, default=json_default, allow_nan=False).encode()
    except (TypeError, ValueError):
        return json.dumps(json_clean(content), default=json_default, allow_nan=False).encode()
