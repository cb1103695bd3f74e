"""For every test: this Python's own programs are found, which nbgrader starts by name."""

import os

from tests.commands import BIN

os.environ["PATH"] = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
