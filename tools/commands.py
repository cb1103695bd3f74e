"""nbgrader's and stagegrade's commands, run one after another in this process: importing torch once is enough."""

import contextlib
import warnings
from pathlib import Path

from nbgrader.apps import NbGraderApp
from traitlets.config import Application

from stagegrade.apps._app import find_own_tools
from stagegrade.apps._main import StageGradeApp

_APPS: dict[str, type[Application]] = {"nbgrader": NbGraderApp, "stagegrade": StageGradeApp}


def run(course: Path, program: str, *arguments: str) -> int:
    """Run ``program arguments`` in the folder ``course``; returns its exit status."""
    find_own_tools()
    with contextlib.chdir(course), warnings.catch_warnings():
        # As in a process of its own, less what nbgrader causes on every submission, of no consequence.
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        try:
            _APPS[program].launch_instance(argv=list(arguments))
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        finally:
            # Each command is a singleton, and so is the subcommand that it turned into.
            while Application.initialized():
                type(Application.instance()).clear_instance()
    return 0
