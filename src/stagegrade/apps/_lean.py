"""Spares every command a second: imported before anything that imports jsonschema.

As it is imported, jsonschema looks for a package that builds the grammar of internationalized addresses, which takes
that long, for a format that no schema of notebooks has. It does without where there is no such package.
"""

import importlib
import sys

_GRAMMAR = "rfc3987_syntax"

if "jsonschema" not in sys.modules and _GRAMMAR not in sys.modules:
    sys.modules[_GRAMMAR] = None  # type: ignore[assignment]  # as Python has it for what is not to be found
    importlib.import_module("jsonschema")
    del sys.modules[_GRAMMAR]
