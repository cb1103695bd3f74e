"""Asks a probe, builds traces, returns verdicts.

A name is imported when it is first asked for: an option's default needs nothing of torch.
"""

from typing import TYPE_CHECKING

from stagegrade import imported_when_asked

if TYPE_CHECKING:
    from stagegrade.judge._channel import ChannelLink
    from stagegrade.judge._judge import Judge, Offer
    from stagegrade.judge._probe import Link
    from stagegrade.judge._rules import mentioned
    from stagegrade.judge._timeouts import CALL_TIMEOUT

__all__ = ["CALL_TIMEOUT", "ChannelLink", "Judge", "Link", "Offer", "mentioned"]

_HOMES = {
    "_channel": ("ChannelLink",),
    "_judge": ("Judge", "Offer"),
    "_probe": ("Link",),
    "_rules": ("mentioned",),
    "_timeouts": ("CALL_TIMEOUT",),
}

__getattr__ = imported_when_asked(__name__, _HOMES)
