"""The command line, and nothing else."""

from stagegrade.apps._app import find_own_tools
from stagegrade.apps._main import StageGradeApp

__all__ = ["main"]


def main() -> None:
    """Run ``stagegrade``; exits with 0 done, 1 some submission could not be graded, 2 wrong use."""
    find_own_tools()
    StageGradeApp.launch_instance()
