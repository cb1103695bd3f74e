"""Runs the real commands, each a process of its own, as a person at a terminal does."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

BIN = Path(sys.executable).parent


def environment(home: Path) -> dict[str, str]:
    """A person's own: nothing of this machine's Jupyter configuration, and this Python's programs on the PATH."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {
        name: os.environ[name]
        for name in ("LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
        if name in os.environ
    }
    return kept | {
        "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]),
        "HOME": str(home),
        "JUPYTER_NO_CONFIG": "1",
        "NO_COLOR": "1",
    }


class CommandFailed(AssertionError):
    """A command that was to succeed did not; the text is all it said."""


def run(
    *command: str | Path, cwd: Path, env: Mapping[str, str], status: int | None = 0
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and hold its exit status against ``status``; ``None`` takes any."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if status is not None and done.returncode != status:
        raise CommandFailed(
            f"{' '.join(words)} ended with {done.returncode}, not {status}\n{done.stdout}\n{done.stderr}"
        )
    return done
