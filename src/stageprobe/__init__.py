"""The student's side of the wall: runs a notebook's cells and answers the judge. Knows no reference and no grade."""

from stageprobe._answer import answer

__all__ = ["answer"]
