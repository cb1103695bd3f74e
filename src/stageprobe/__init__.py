"""The student's side of the wall: runs a notebook's cells and answers the judge. Knows no reference and no grade."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stageprobe._answer import answer

__all__ = ["answer"]


def __getattr__(name: str) -> Any:
    # torch is imported by whoever answers, not by the trusted side, which has a process with torch to start first.
    if name == "answer":
        from stageprobe._answer import answer

        return answer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
