"""Staged comparison, attribution, and safe, fast grading of notebooks: the trusted side."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

__all__ = ["__version__"]


def imported_when_asked(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A room's module ``__getattr__``: each name is imported from its home, a module, when it is first asked for."""
    home_of = {name: home for home, names in homes.items() for name in names}

    def found(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{home_of[name]}"), name)

    return found
