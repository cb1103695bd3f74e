"""Begins an assignment of a course's own, from a template that can be graded as it stands."""

import keyword
import re
from pathlib import Path

from stagegrade.autograde._course import carried_source

TEMPLATE = Path(__file__).parent / "template"
NAME = "new_assignment"


class CannotBegin(Exception):
    """An assignment of this name cannot be begun here; the message says why and what to do."""


def begin_assignment(root: Path, name: str) -> list[Path]:
    """Write ``source/NAME/NAME.ipynb`` and ``pipelines/NAME.py`` into the course at ``root``; overwrites nothing.

    Raises ``CannotBegin``.
    """
    if keyword.iskeyword(name):
        raise CannotBegin(
            f"{name} is a word of Python's own and cannot be an assignment's name, since its stages are called "
            f"NAME.STAGE; another would be my_{name.lower()}"
        )
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name):
        raise CannotBegin(
            f"{name!r} cannot be an assignment's name: a small letter, then small letters, digits and _, "
            "since its stages are called NAME.STAGE"
        )
    made = {
        root / "source" / name / f"{name}.ipynb": TEMPLATE / f"{NAME}.ipynb",
        root / "pipelines" / f"{name}.py": TEMPLATE / f"{NAME}.py",
    }
    there = [path for path in (root / "source" / name, *made) if path.exists()]
    if there:
        raise CannotBegin(f"{there[0].relative_to(root)} is already there, and nothing is overwritten")
    if (carried_source() / name).is_dir():
        raise CannotBegin(f"{name} is the name of an assignment that comes with this kit")
    for path, template in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template.read_text(encoding="utf-8").replace(NAME, name), encoding="utf-8")
    return list(made)
