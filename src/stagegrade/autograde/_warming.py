"""The warm process of this process, as a course's configuration wants it."""

import functools
from pathlib import Path
from typing import Any

from nbgrader.converters.base import NbGraderException
from traitlets.config import Application, Configurable

from stagegrade.autograde._course import option_list
from stagegrade.jail import Walls, WarmProcess, beneath_shown

UNPROTECTED = "graded without walls around the student's code, as was asked for"


@functools.cache
def warm_process(
    preload: tuple[str, ...] = (),
    walls: Walls | None = None,
    hide: tuple[Path, ...] = (),
    show: tuple[Path, ...] = (),
) -> WarmProcess:
    """The one warm process of this process. nbgrader makes a new preprocessor for each notebook."""
    return WarmProcess(preload, walls=walls, hide=hide, show=show)


def warm_process_for(configured: Configurable, root: Path) -> WarmProcess:
    """The warm process for the course at ``root``, as ``configured`` and what it belongs to are configured.

    Raises ``NbGraderException`` where walls are to be left out in a way that nobody would notice.
    """
    hide = _hidden(root.resolve(), Path.home().resolve())
    show = tuple(Path(path) for path in option_list(configured.config, "visible"))
    walls = Walls.NONE if _unprotected(configured) else None
    return warm_process(tuple(option_list(configured.config, "preload")), walls, hide, show)


@functools.cache
def _hidden(*folders: Path) -> tuple[Path, ...]:
    return beneath_shown(folders)


def _unprotected(configured: Configurable) -> bool:
    """Whether a person asks for it now: on the command line, never in a file that is read each time."""
    if not configured.config.StageExecute.get("unprotected", False):
        return False
    found: Any = configured
    while found is not None:
        if isinstance(found, Application) and found.cli_config.StageExecute.get("unprotected", False):
            return True
        found = found.parent
    raise NbGraderException(
        "StageExecute.unprotected is set in a configuration file. Running students' code without walls has to be "
        "asked for each time: take it out there, and give --unprotected on the command line."
    )
