"""Starts, limits and ends isolated processes; runs a notebook's cells in one."""

from stagegrade.jail._files import pieces
from stagegrade.jail._jail import CellRun, Ended, Jail
from stagegrade.jail._refused import WallsRefused, WarmStartError
from stagegrade.jail._system import beneath_shown
from stagegrade.jail._trial import Tried, try_walls
from stagegrade.jail._warm import WarmProcess
from stageprobe._limits import Limits
from stageprobe._walls import Walls

__all__ = [
    "CellRun",
    "Ended",
    "Jail",
    "Limits",
    "Tried",
    "Walls",
    "WallsRefused",
    "WarmProcess",
    "WarmStartError",
    "beneath_shown",
    "pieces",
    "try_walls",
]
