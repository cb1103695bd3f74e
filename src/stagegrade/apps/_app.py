"""What every subcommand shares: nbgrader's own application class, quieter, with this kit's exit statuses."""

import logging
import os
import shutil
import sys
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.apps.baseapp import NbGrader, nbgrader_aliases, nbgrader_flags
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from traitlets import default

DONE, UNGRADED, WRONG_USE = 0, 1, 2


class StageApp(NbGrader):
    """A subcommand. Data goes to stdout, talk to stderr."""

    aliases = nbgrader_aliases
    flags: dict[str, Any] = nbgrader_flags

    @default("log_level")
    def _log_level_default(self) -> int:
        return logging.WARNING

    def refuse(self, message: str) -> NoReturn:
        """End with a message for a person who used a command wrongly."""
        print(f"{self.name}: {message}", file=sys.stderr)
        sys.exit(WRONG_USE)

    def arguments(self, *names: str, optional: int = 0) -> list[str]:
        """The positional arguments, as many as ``names`` less ``optional`` at the end; refuses any other number."""
        given = list(self.extra_args)
        if not len(names) - optional <= len(given) <= len(names):
            wanted = [f"[{n}]" if i >= len(names) - optional else n for i, n in enumerate(names)]
            self.refuse(f"usage: {self.name.replace('-', ' ', 1)} {' '.join(wanted)}")
        return given


def console() -> Console:
    """Where data is printed: as wide as the terminal, or wide enough for a table where there is none."""
    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS", "150"))
    return Console(width=width, highlight=False)


def find_own_tools() -> None:
    """Let nbgrader find alembic, which it starts by name, where this Python's own programs are not on the PATH."""
    if shutil.which("alembic") is None:
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def needs_course(app: StageApp) -> CourseDirectory:
    """The course in the working directory; refuses where there is none that grades with stages."""
    config = app.config.get("Autograde", {})
    if not app.loaded_config_files:
        app.refuse("there is no nbgrader_config.py here. Go to your course, or make one: stagegrade new DIR")
    if "exporter_class" not in config:
        app.refuse(
            "this course's nbgrader_config.py does not set up stagegrade. Add to it:\n"
            "    from stagegrade.autograde import configure\n    configure(c)"
        )
    assert app.coursedir is not None
    return app.coursedir
