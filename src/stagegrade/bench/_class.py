"""A made-up class for timing: two courses with the same students, one graded by stages, one by nbgrader alone."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from stagegrade.autograde import CONFIG_NAME, carried_source, configure, grade_id, without_hidden

ASSIGNMENT = "query_key_value"
COURSE_ID = "bench"

_SOLUTION = re.compile(
    r"^[ \t]*### BEGIN SOLUTION\n(.*?)^[ \t]*### END SOLUTION\n?", re.MULTILINE | re.DOTALL
)

_PLAIN_CONFIG = f'c = get_config()\nc.CourseDirectory.course_id = "{COURSE_ID}"\n'
_STAGED_CONFIG = f"from stagegrade.autograde import configure\n{_PLAIN_CONFIG}configure(c)\n"

# Each shows on the worked example, so that the notebook's own asserts and the judge must agree on every point.
_KINDS: Mapping[str, Mapping[str, tuple[str, str]] | None] = {
    "right": {},
    "third-key": {"key_index": ("keys[1]", "keys[2]")},
    "divides-by-d_k": {"scaling": ("d_k**0.5", "d_k")},
    "prints": {"scores": ("return query @ keys.T", "print(keys.shape)\n    return query @ keys.T")},
    "no-exponential": {"softmax": ("torch.softmax(scaled, dim=-1)", "scaled / scaled.sum()")},
    "einsum": {"context": ("weights @ values", "torch.einsum('n,nd->d', weights, values)")},
    "misspelt": {"context": ("weights @ values", "weigths @ values")},
    "wrong-query": {"projection": ("inputs[1]", "inputs[2]")},
    "blank": None,
    "loop": {"scores": ("return query @ keys.T", "return torch.stack([query.dot(key) for key in keys])")},
}


@dataclass(frozen=True)
class Course:
    """A course's folder, with its assignment generated and nothing graded."""

    root: Path

    def submit(self, count: int, first: int = 0) -> None:
        """Hand in as ``count`` more students, from the ``first``; the kinds take turns."""
        release = json.loads((self.root / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text())
        solutions = _solutions(json.loads(_source().read_text()))
        names = list(_KINDS)
        made = {name: json.dumps(_filled(release, solutions, _KINDS[name]), indent=1) for name in names}
        for number in range(first, first + count):
            name = names[number % len(names)]
            folder = self.root / "submitted" / f"{number:06d}-{name}" / ASSIGNMENT
            folder.mkdir(parents=True)
            (folder / f"{ASSIGNMENT}.ipynb").write_text(made[name], encoding="utf-8")


def staged_course(root: Path) -> Course:
    """Graded by the judge."""
    config = Config()
    configure(config)
    return _course(root, _STAGED_CONFIG, config, json.loads(_source().read_text()))


def plain_course(root: Path) -> Course:
    """Graded by nbgrader alone: of each test what a student sees of it, the asserts on the worked example."""
    notebook = json.loads(_source().read_text())
    for cell in notebook["cells"]:
        cell["source"], _ = without_hidden(_text(cell), instead=None)
    return _course(root, _PLAIN_CONFIG, Config(), notebook)


def _course(root: Path, text: str, config: Config, notebook: Mapping[str, Any]) -> Course:
    folder = root / "source" / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / f"{ASSIGNMENT}.ipynb").write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    (root / CONFIG_NAME).write_text(text, encoding="utf-8")
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.course_id = COURSE_ID
    config.CourseDirectory.assignment_id = ASSIGNMENT
    GenerateAssignment(coursedir=CourseDirectory(config=config), config=config).start()
    return Course(root)


def _source() -> Path:
    return carried_source() / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"


def _solutions(notebook: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: _SOLUTION.sub(r"\1", _text(cell))
        for cell in notebook["cells"]
        for name in [grade_id(cell)]
        if name.startswith("solution-")
    }


def _filled(
    release: Mapping[str, Any], solutions: Mapping[str, str], kind: Mapping[str, tuple[str, str]] | None
) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(json.dumps(release))
    if kind is None:
        return notebook
    for cell in notebook["cells"]:
        name = grade_id(cell)
        if name not in solutions:
            continue
        code = solutions[name]
        right, instead = kind.get(name.removeprefix("solution-"), ("", ""))
        if right not in code:
            raise ValueError(f"the source's {name} no longer has {right!r}")
        cell["source"] = code.replace(right, instead) if right else code
    return notebook


def _text(cell: Mapping[str, Any]) -> str:
    return "".join(cell["source"])
