"""The command line, and nothing else."""

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import SAWarning, SQLAlchemyError
from traitlets import TraitError

import stagegrade.apps._lean  # noqa: F401 - before all that imports jsonschema
from stagegrade import autograde
from stagegrade.apps._app import UNGRADED, WRONG_USE, BrokenConfig, StageApp, find_own_tools
from stagegrade.apps._main import StageGradeApp
from stagegrade.apps._unusable import reason

if TYPE_CHECKING:
    from stagegrade.autograde import Belonging

__all__ = ["diagnosed", "main"]

INTERRUPTED = 130


def main() -> None:
    """Run ``stagegrade``; exits with 0 done, 1 some submission could not be graded, 2 wrong use."""
    _prepare()
    try:
        StageGradeApp.launch_instance()
        sys.stdout.flush()
    except (BrokenConfig, TraitError) as error:
        print(f"stagegrade: {error}", file=sys.stderr)
        sys.exit(WRONG_USE)
    except KeyboardInterrupt:
        print("stagegrade: stopped", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read the output has seen enough, as `head` has; nothing more is written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except autograde.BrokenRecord as error:
        print(f"stagegrade: {error}", file=sys.stderr)
        sys.exit(UNGRADED)
    except (OSError, SQLAlchemyError) as error:
        print(f"stagegrade: {'. '.join(reason(error, _db_url()))}", file=sys.stderr)
        sys.exit(WRONG_USE)


def diagnosed(path: Path, of: "Belonging", options: Sequence[str] = ()) -> dict[str, Any]:
    """The record that ``stagegrade diagnose PATH OPTIONS --json`` prints, for another program.

    Raises ``NotDiagnosed``.
    """
    from stagegrade.apps._diagnose import DiagnoseApp
    from stagegrade.autograde import diagnose

    with warnings.catch_warnings():
        _prepare()
        app = DiagnoseApp()
        app.initialize([*options, str(path)])
        return diagnose(path, of, app)


def _db_url() -> str:
    """The gradebook of the command that is running."""
    course = StageApp.instance().coursedir if StageApp.initialized() else None
    return str(course.db_url) if course is not None else ""


def _prepare() -> None:
    find_own_tools()
    # nbgrader 0.9.6 builds a submission's rows before it adds them to the session; it does add them afterwards.
    warnings.filterwarnings("ignore", r"Object of type <Submitted\w+> not in session", SAWarning)
