"""Takes the names that a student gives variables as a hint at what they are meant to hold."""

import re
from functools import lru_cache

from torch import Tensor

from stagegrade.diagnosis._made import Made
from stagegrade.pipelines import Trace


def names_agree(given: Trace, made: Made) -> int:
    """Variables that hold the value whose name they bear, less those that hold another."""
    agree = 0
    names = tuple(given)
    for place, (name, _) in enumerate(made.named):
        meant = _meant(name, names)
        value = given[meant] if meant is not None else None
        if isinstance(value, Tensor):
            agree += 1 if made.is_named(place, value) else -1
    return agree


def is_called(name: str, value: Tensor, given: Trace, made: Made) -> bool:
    """Whether a variable that bears the name of this value held it."""
    names = tuple(given)
    return any(
        made.is_named(place, value)
        for place, (variable, _) in enumerate(made.named)
        if _meant(variable, names) == name
    )


@lru_cache(4096)
def _meant(name: str, given: tuple[str, ...]) -> str | None:
    """The one value whose name a student's variable bears, whole, in the plural, or shortened (``q``)."""
    words = [word for word in re.split(r"[\W_\d]+", name.lower()) if word]
    meant = {value for value in given for word in words if _is_short_for(word, value)}
    return meant.pop() if len(meant) == 1 else None


def _is_short_for(word: str, value: str) -> bool:
    one, other = word.rstrip("s"), value.rstrip("s")
    if len(one) <= 2:
        return bool(one) and other.startswith(one)
    return one == other or (len(one) >= 4 and one[:4] == other[:4])
