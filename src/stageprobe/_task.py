"""What a warm process is started for, as it travels to it."""

import json
from dataclasses import dataclass

from stageprobe._walls import Readable, Walls


@dataclass(frozen=True)
class Task:
    """The walls around its submissions, and what is to be there within them."""

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
