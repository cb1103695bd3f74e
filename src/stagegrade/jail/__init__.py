"""Starts, limits and ends isolated processes; runs a notebook's cells in one."""

from stagegrade.jail._jail import CellRun, Ended, Jail
from stagegrade.jail._warm import WarmProcess, WarmStartError

__all__ = ["CellRun", "Ended", "Jail", "WarmProcess", "WarmStartError"]
