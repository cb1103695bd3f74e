"""A link to a probe with nothing but a channel in between, as where no jail is."""

from typing import Any

from stageprobe._wire import Channel, Frame


class ChannelLink:
    """The part of a ``Link`` that talks; how the code is interrupted and ended is for whoever started it to say."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        self._channel.send(header, payload)

    def receive(self, deadline: float) -> Frame:
        return self._channel.receive(deadline=deadline)
