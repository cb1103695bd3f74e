"""Asks a probe, builds traces, returns verdicts.

A name is imported when it is first asked for: an option's default needs nothing of torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stagegrade.judge._judge import Judge, Offer
    from stagegrade.judge._probe import Link
    from stagegrade.judge._rules import mentioned
    from stagegrade.judge._timeouts import CALL_TIMEOUT

__all__ = ["CALL_TIMEOUT", "Judge", "Link", "Offer", "mentioned"]

_HOMES = {
    "_judge": ("Judge", "Offer"),
    "_probe": ("Link",),
    "_rules": ("mentioned",),
    "_timeouts": ("CALL_TIMEOUT",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
