"""Takes the names that a student gives variables as a hint at what they are meant to hold."""

import re

from torch import Tensor

from stagegrade.diagnosis._compare import alike
from stagegrade.diagnosis._made import Made
from stagegrade.pipelines import Trace


def names_agree(given: Trace, made: Made) -> int:
    """Variables that hold the value whose name they bear, less those that hold another."""
    agree = 0
    for name, tensor in made.named:
        meant = _meant(name, given)
        value = given[meant] if meant is not None else None
        if isinstance(value, Tensor):
            forms = [value, value.transpose(-2, -1)] if value.dim() > 1 else [value]
            agree += 1 if any(alike(form.squeeze(), tensor.squeeze()) for form in forms) else -1
    return agree


def _meant(name: str, given: Trace) -> str | None:
    """The one value whose name a student's variable bears, whole, in the plural, or shortened (``q``)."""
    words = [word for word in re.split(r"[\W_\d]+", name.lower()) if word]
    meant = {value for value in given for word in words if _is_short_for(word, value)}
    return meant.pop() if len(meant) == 1 else None


def _is_short_for(word: str, value: str) -> bool:
    one, other = word.rstrip("s"), value.rstrip("s")
    if len(one) <= 2:
        return bool(one) and other.startswith(one)
    return one == other or (len(one) >= 4 and one[:4] == other[:4])
