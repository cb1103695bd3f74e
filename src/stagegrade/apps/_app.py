"""What every subcommand shares: nbgrader's own application class, with exit statuses and words of this kit's own."""

import logging
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Generator
from itertools import zip_longest
from pathlib import Path
from textwrap import dedent, indent
from types import FrameType
from typing import Any, NoReturn

from nbgrader.apps.baseapp import NbGrader, nbgrader_flags
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from traitlets import HasTraits, default
from traitlets.config.argcomplete_config import get_argcomplete_cwords
from traitlets.config.loader import Config, KVArgParseConfigLoader

from stagegrade.autograde import CONFIG_NAME, course_around, trait_said, unknown_options

DONE, UNGRADED, WRONG_USE = 0, 1, 2

UNPROTECTED: dict[Any, Any] = {
    "unprotected": (
        {"StageExecute": {"unprotected": True}},
        "Run submissions without walls, this once; every grade says so.",
    )
}

COURSE_DIR = {"course-dir": "CourseDirectory.root"}
COURSE_ALIASES = {**COURSE_DIR, "db": "CourseDirectory.db_url"}


TWO_LINES = "Add to it:\n    from stagegrade.autograde import configure\n    configure(c)"


# How traitlets begins to say that an option cannot have the value it was given.
_BAD_VALUE = "Bad config encountered during initialization: "


def sets_stagegrade_up(config: Config) -> bool:
    """Whether a course's configuration says that nbgrader grades with stages."""
    return "exporter_class" in config.get("Autograde", {})


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


class BrokenConfig(Exception):
    """A configuration file raised an error."""

    def __init__(self, error: Exception) -> None:
        at = traceback.extract_tb(error.__traceback__)[-1]
        name, line = (
            (error.filename, error.lineno) if isinstance(error, SyntaxError) else (at.filename, at.lineno)
        )
        super().__init__(
            f"the configuration does not load: {name}, line {line}: {type(error).__name__}: {error}"
        )


class StageApp(NbGrader):
    """A subcommand. Data goes to stdout, talk to stderr."""

    operands = ""
    """The positional arguments, as the usage names them."""
    ungraded = ""
    """What exit status 1 says, where the command may end with it."""

    aliases: dict[str, Any] = {"log-level": "Application.log_level"}
    flags: dict[Any, Any] = dict(nbgrader_flags)
    raise_config_file_errors = True

    @default("log_level")
    def _log_level_default(self) -> int:
        return logging.WARNING

    @default("log")
    def _log_default(self) -> Any:
        log = super()._log_default()
        assert isinstance(log, logging.Logger)
        log.addFilter(self._is_for_everybody)
        return log

    def _is_for_everybody(self, record: logging.LogRecord) -> bool:
        """Whether it is of use to somebody who did not ask for the log: an option mistyped, in traitlets' words.

        What nbgrader logs of its steps, a command says in its own words as far as it matters.
        """
        said = record.getMessage()
        if said.startswith(_BAD_VALUE):
            print(f"{self.command}: {trait_said(said.removeprefix(_BAD_VALUE), '--')}", file=sys.stderr)
            return False
        asked = isinstance(self.log_level, int) and self.log_level <= logging.INFO
        return asked or "traitlets" in Path(record.pathname).parts

    def _create_loader(self, argv: Any, aliases: Any, flags: Any, classes: Any) -> KVArgParseConfigLoader:
        return _Strict(
            argv,
            aliases,
            flags,
            classes=classes,
            log=self.log,
            subcommands=self.subcommands,
            prog=self.command,
            usage=f"{self.command} {self.operands} [options]".replace("  ", " "),
            operands=self.operands,
        )

    def heed_termination(self) -> None:
        """From now on SIGTERM ends this command as Ctrl-C does, in order."""
        signal.signal(signal.SIGTERM, _interrupt)

    def emit_description(self) -> Generator[str, None, None]:
        """What a person looks for first: what it does, how it is called, how it ends; the options come after."""
        yield from super().emit_description()
        yield f"Usage: {self.command} {self.operands} [options]".replace("  ", " ")
        yield ""
        yield "Examples"
        yield "--------"
        yield ""
        yield indent(dedent(self.examples).strip("\n"), "    ").rstrip()
        yield ""
        ends = {DONE: "done", UNGRADED: self.ungraded, WRONG_USE: "wrong use; nothing was changed"}
        yield "Exit status: " + "; ".join(f"{status} {said}" for status, said in ends.items() if said) + "."
        yield ""

    def emit_examples(self) -> Generator[str, None, None]:
        """Shown above already."""
        yield from ()

    @property
    def command(self) -> str:
        return str(self.name).replace("-", " ", 1)

    def initialize(self, argv: list[str] | None = None, root: str = "") -> None:
        if argv is None and "_ARGCOMPLETE" in os.environ:
            # Jupyter's applications read the words that are there, of which a shell that asks gives none.
            argv = (get_argcomplete_cwords() or [""])[1:]
        try:
            super().initialize(argv, root)  # type: ignore[arg-type]
        except (BrokenConfig, BrokenPipeError):
            # A subcommand's, which the main command initializes; or whoever reads the help has seen enough.
            raise
        except Exception as error:
            raise BrokenConfig(error) from error

    def exit(self, exit_status: Any = DONE) -> None:
        """End as traitlets asks for: with 0 after ``--help``, else for an option that is wrong."""
        super().exit(WRONG_USE if exit_status else DONE)

    def refuse(self, message: str) -> NoReturn:
        """End with a message for a person who used a command wrongly."""
        print(f"{self.command}: {message}", file=sys.stderr)
        sys.exit(WRONG_USE)

    def tell_unknown_options(self, kind: type[HasTraits]) -> None:
        """Say which options that are set for ``kind`` it does not have, where no process of ours will make one."""
        for said in unknown_options(self.config, kind):
            print(f"{self.command}: {said}", file=sys.stderr)

    def arguments(self) -> list[str]:
        """The positional arguments; refuses any other number than ``operands`` names."""
        names = self.operands.split()
        needed = [name for name in names if not name.startswith("[")]
        if not len(needed) <= len(self.extra_args) <= len(names):
            self.refuse(f"usage: {self.command} {self.operands}".rstrip())
        return list(self.extra_args)

    def require_assignment(self, course: CourseDirectory, assignment: str) -> None:
        """Refuse an assignment that the course's gradebook does not know."""
        # Imported here: it brings nbgrader's gradebook, which not every command needs.
        from stagegrade.autograde import gradebook_assignments

        known = gradebook_assignments(course)
        if assignment not in known:
            said = f"the gradebook knows no assignment {assignment}; it has {', '.join(known) or 'none yet'}"
            made = f"nbgrader generate_assignment {assignment}"
            if (Path(course.root) / course.source_directory / assignment).is_dir():
                self.refuse(
                    f"{said}. Begin with: {made}; what is then handed in, stagegrade autograde {assignment} grades"
                )
            self.refuse(f"{said}. Where there is a source/{assignment}: {made}")

    def named_course(self) -> Path | None:
        """The folder given with ``--course-dir`` to a command that needs no course; refuses one that is not there."""
        given = self.cli_config.CourseDirectory.get("root")
        if given is None:
            return None
        if not Path(given).is_dir():
            self.refuse(f"there is no folder {given}, where the course should be")
        return Path(given).resolve()

    def place_for(self, output: str) -> Path:
        """The file or folder to write to; refuses where there is no folder to put it into, which may be mistyped."""
        path = Path(output)
        if not path.parent.is_dir():
            self.refuse(
                f"there is no folder {path.parent} to write {path.name} to; make it, or name another place"
            )
        return path

    def course(self) -> CourseDirectory:
        """The course in the working directory or at ``--course-dir``; refuses where none grades with stages."""
        assert self.coursedir is not None
        if not Path(self.coursedir.root).is_dir():
            self.refuse(f"there is no folder {self.coursedir.root}, where the course should be")
        # nbgrader lists a file among those it loaded only if that set an option.
        loaded = any(Path(name).name == CONFIG_NAME for name in self.loaded_config_files)
        if not loaded and not any((Path(at) / CONFIG_NAME).is_file() for at in (".", self.coursedir.root)):
            around = course_around(Path.cwd())
            self.refuse(
                f"there is no {CONFIG_NAME} here. "
                + (f"The course is in {around}; go there." if around else "Go to your course, or make one: ")
                + ("" if around else "stagegrade new DIR")
            )
        if not sets_stagegrade_up(self.config):
            self.refuse(f"this course's {CONFIG_NAME} does not set up stagegrade. {TWO_LINES}")
        return self.coursedir


class _Strict(KVArgParseConfigLoader):
    """Refuses an option that does not exist, where traitlets says that it has no effect and goes on."""

    def __init__(self, *args: Any, operands: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._operands = operands

    def _argcomplete(self, classes: Any, subcommands: Any) -> None:
        """Called for every command; does something only where a shell asks for completions."""
        if "_ARGCOMPLETE" in os.environ:
            from stagegrade.apps._operands import completer

            for action in self.parser._actions:
                if action.dest == "extra_args":
                    action.completer = completer(self._operands)  # type: ignore[attr-defined]
            # Options only where one is begun: there are many, and names are what one types most.
            self._argcomplete_kwargs = {"always_complete_options": False}
            super()._argcomplete(classes, subcommands)

    def _parse_args(self, args: Any) -> Any:
        keys: list[Any] = [*self.flags, *self.aliases]
        named = [key if isinstance(key, tuple) else (key,) for key in keys]
        known = {f"{'-' if len(name) == 1 else '--'}{name}" for names in named for name in names}
        valued = {f"--{key}" for key in self.aliases}
        for given, following in zip_longest(args, args[1:], fillvalue="--"):
            name = given.partition("=")[0]
            if given == "--":
                break
            if name.startswith("-") and name != "-" and "." not in name and name not in known:
                self.parser.error(f"there is no option {name}")
            if given in valued and following.startswith("--"):
                self.parser.error(f"{given} takes a value: {given}=VALUE")
        return super()._parse_args(args)


def console() -> Console:
    """Where data is printed: as wide as the terminal, or wide enough for a table where there is none."""
    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS", "150"))
    return Console(width=width, highlight=False)


def find_own_tools() -> None:
    """Let nbgrader find alembic, which it starts by name, where this Python's own programs are not on the PATH."""
    if shutil.which("alembic") is None:
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
