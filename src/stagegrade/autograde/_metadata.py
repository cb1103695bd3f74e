"""Metadata of a submitted notebook, of which only what the format allows is kept: with anything else in it no
program could open the graded notebook again."""

from collections.abc import Callable
from typing import Any


def texts(found: Any) -> dict[str, str]:
    """Of a mapping what is text, or lines of it; of anything else nothing."""
    kept = {}
    for key, value in found.items() if isinstance(found, dict) else ():
        lines = value if isinstance(value, list) else [value]
        if all(isinstance(line, str) for line in lines):
            kept[key] = "".join(lines)
    return kept


def notebook_metadata(found: dict[str, Any]) -> dict[str, Any]:
    """The kernel's and the language's names and what else is said of them in words."""
    kept = {key: texts(found.get(key)) for key in ("kernelspec", "language_info")}
    named = {key: words for key, words in kept.items() if words.get("name")}
    if "kernelspec" in named:
        named["kernelspec"].setdefault("display_name", named["kernelspec"]["name"])
    return named


def cell_metadata(found: Any) -> dict[str, Any]:
    """All but what has another form than the format gives it."""
    if not isinstance(found, dict):
        return {}
    return {key: value for key, value in found.items() if key not in _FORMS or _FORMS[key](value)}


def _is_text(found: Any) -> bool:
    return isinstance(found, str)


def _is_choice(found: Any) -> bool:
    return isinstance(found, bool)


def _are_tags(found: Any) -> bool:
    if not isinstance(found, list) or not all(
        isinstance(tag, str) and tag and "," not in tag for tag in found
    ):
        return False
    return len(set(found)) == len(found)


_FORMS: dict[str, Callable[[Any], bool]] = {
    "tags": _are_tags,
    "name": lambda found: _is_text(found) and found.splitlines() == [found],
    "format": _is_text,
    "collapsed": _is_choice,
    "deletable": _is_choice,
    "editable": _is_choice,
    "scrolled": lambda found: _is_choice(found) or found == "auto",
    "jupyter": lambda found: isinstance(found, dict) and all(map(_is_choice, found.values())),
    "execution": lambda found: isinstance(found, dict) and all(map(_is_text, found.values())),
}
