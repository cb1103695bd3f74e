"""Whether the options that a course sets for this kit exist, and can have the values that they are given."""

import difflib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from traitlets import HasTraits, TraitError
from traitlets.config import Config, Configurable

from stagegrade.autograde._course import CONFIG_NAME, option_list

_TRAIT = re.compile(r"^The (?:value of the )?'(\w+)' trait of an? \w+ instance (expected )?")


def trait_said(said: str, prefix: str) -> str:
    """traitlets' words for a value that an option cannot have, the option named as people give it."""
    named = prefix.startswith("--")
    return _TRAIT.sub(
        lambda found: (
            f"{prefix}{found[1].replace('_', '-') if named else found[1]} {'takes ' if found[2] else ''}"
        ),
        said.rstrip("."),
    )


def unknown_options(config: Config, kind: type[HasTraits]) -> Iterator[str]:
    """A sentence for each option that is set for ``kind`` and that it does not have."""
    known = kind.class_trait_names(config=True)
    for name in config.get(kind.__name__, {}):
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            yield f"{kind.__name__} has no option {name}{meant}"


def wrong_values(config: Config, kind: type[Configurable]) -> Iterator[str]:
    """A sentence for each option of ``kind`` whose value it cannot have."""
    known = kind.class_trait_names(config=True)
    for name, value in config.get(kind.__name__, {}).items():
        if name not in known:
            continue
        alone: Any = Config({kind.__name__: {name: value}})
        try:
            getattr(kind(config=alone), name)
        except TraitError as error:
            yield trait_said(str(error), f"{kind.__name__}.")


def absent(config: Config) -> Iterator[str]:
    """A sentence for each module to be loaded, and each folder to be shown to submissions, that is not there."""
    for module in option_list(config, "preload"):
        # What a package has within it, only importing it would tell.
        if importlib.util.find_spec(module.partition(".")[0]) is None:
            yield f"preload: there is no module {module} ({CONFIG_NAME})"
    for folder in option_list(config, "visible"):
        if not Path(folder).exists():
            yield f"visible: there is no folder {Path(folder)} ({CONFIG_NAME})"


def require_present(config: Config) -> None:
    """Raises nbgrader's ``NbGraderException`` where what the options name is not on this machine."""
    # Imported here: it brings all of nbgrader's converters, and what an option is called every command asks.
    from nbgrader.converters.base import NbGraderException

    for said in absent(config):
        raise NbGraderException(
            f"{said}. Nothing was changed; mend or take out that name, or install what is missing."
        )
