"""The sample cohort's definitions, and the submissions that they make.

Each student is one file, ``tests/cohort/ASSIGNMENT/STUDENT.toml``: what was handed in, and the verdict beside it.
What was handed in is the release with the solution cells of the source, but for what the file says:

``start``
    ``"release"``: cells that are not mentioned are left as they were released, not written.
``[cells]``
    The code of a solution cell, by its name without ``solution-``.
``[edits]``
    Pairs of text and replacement in a solution cell; each text must be there exactly once.
``[[change]]``
    What was done to the notebook afterwards, in order; the keys are the functions in ``CHANGES``.
``[notebook]``
    ``format`` (``"3"`` or ``"4.0"``), ``kernel``, ``file`` (another name), ``text`` (the file is this text instead).
``[files]``
    Further files by name.
"""

import copy
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).resolve().parents[1]
DEFINITIONS = ROOT / "tests" / "cohort"
_SOLUTION = re.compile(r"^ *### (BEGIN|END) SOLUTION\n?", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One student's submission of one assignment, and what grading is expected to say."""

    student: str
    assignment: str
    does: str
    """What this submission shows, as a sentence."""
    expected: Mapping[str, Any]
    start: str = "source"
    cells: Mapping[str, str] = field(default_factory=dict)
    edits: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    change: Sequence[Mapping[str, Any]] = ()
    notebook: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def submission(self, source: NotebookNode, release: NotebookNode) -> dict[str, bytes]:
        """The files that are handed in, by name. Raises ``ValueError`` for a definition that fits nothing."""
        made = {name: text.encode() for name, text in self.files.items()}
        name = self.notebook.get("file", f"{self.assignment}.ipynb")
        if "text" in self.notebook:
            made[name] = str(self.notebook["text"]).encode()
        elif name:
            made[name] = self._notebook(source, release)
        return made

    def _notebook(self, source: NotebookNode, release: NotebookNode) -> bytes:
        notebook = copy.deepcopy(release)
        if self.start == "source":
            for cell in notebook.cells:
                if _is_solution(cell):
                    cell.source = _SOLUTION.sub("", _cell(source, _name(cell)).source)
        for short, code in self.cells.items():
            _cell(notebook, f"solution-{short}").source = code.strip("\n")
        for short, pairs in self.edits.items():
            cell = _cell(notebook, f"solution-{short}")
            for old, new in pairs:
                if cell.source.count(old) != 1:
                    raise ValueError(f"{self.student}: {old!r} is not exactly once in solution-{short}")
                cell.source = cell.source.replace(old, new)
        for change in self.change:
            (kind,) = CHANGES.keys() & change.keys()
            rest = {key: value for key, value in change.items() if key != kind}
            CHANGES[kind](notebook, change[kind], **rest)
        if "kernel" in self.notebook:
            notebook.metadata.kernelspec = nbformat.from_dict(self.notebook["kernel"])
        return _written(notebook, self.notebook.get("format", "4.5"))


def samples() -> list[Sample]:
    """Every student of the cohort, by assignment and name."""
    return [_read(path) for path in sorted(DEFINITIONS.glob("*/*.toml"))]


def _read(path: Path) -> Sample:
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return Sample(student=path.stem, assignment=path.parent.name, **found)
    except TypeError as error:
        raise ValueError(f"{path}: {error}") from error


def assignments() -> list[str]:
    """The names of the course's assignments."""
    return sorted(path.parent.name for path in (ROOT / "source").glob("*/*.ipynb"))


def submissions(release: Path) -> Iterator[tuple[Sample, dict[str, bytes]]]:
    """Each sample with the files that it hands in, made from the notebooks in the folder ``release``."""
    read = {
        name: [
            nbformat.read(folder / name / f"{name}.ipynb", as_version=4)
            for folder in (ROOT / "source", release)
        ]
        for name in assignments()
    }
    for sample in samples():
        yield sample, sample.submission(*read[sample.assignment])


def _delete(notebook: NotebookNode, name: str) -> None:
    notebook.cells.remove(_cell(notebook, name))


def _copy(notebook: NotebookNode, name: str, edit: tuple[str, str] | None = None) -> None:
    """As copying and pasting a cell does: all but the id is the same; ``edit`` changes the copy."""
    cell = _cell(notebook, name)
    made = copy.deepcopy(cell)
    made.id = f"{name}-copy"
    if edit:
        made.source = made.source.replace(*edit)
    notebook.cells.insert(notebook.cells.index(cell) + 1, made)


def _split(notebook: NotebookNode, name: str, before: str) -> None:
    """As JupyterLab splits a cell at the cursor: both halves keep the metadata."""
    cell = _cell(notebook, name)
    first, found, rest = cell.source.partition(before)
    if not found:
        raise ValueError(f"{before!r} is not in {name}")
    second = copy.deepcopy(cell)
    second.id, second.source, cell.source = f"{name}-rest", found + rest, first.rstrip()
    notebook.cells.insert(notebook.cells.index(cell) + 1, second)


def _retype(notebook: NotebookNode, name: str, to: str) -> None:
    cell = _cell(notebook, name)
    cell.cell_type = to
    if to != "code":
        del cell["outputs"], cell["execution_count"]


def _rename(notebook: NotebookNode, name: str, to: str) -> None:
    cell = _cell(notebook, name)
    cell.metadata.nbgrader.grade_id = cell.id = to


def _insert_after(notebook: NotebookNode, name: str, code: str) -> None:
    cell = _cell(notebook, name)
    place = notebook.cells.index(cell) + 1
    notebook.cells.insert(place, new_code_cell(code.strip("\n"), id=f"own-{place}"))


def _overwrite(notebook: NotebookNode, name: str, code: str) -> None:
    _cell(notebook, name).source = code.strip("\n")


def _tag(notebook: NotebookNode, name: str, tags: list[str]) -> None:
    _cell(notebook, name).metadata.tags = tags


CHANGES: Mapping[str, Callable[..., None]] = {
    "delete": _delete,
    "copy": _copy,
    "split": _split,
    "retype": _retype,
    "rename": _rename,
    "insert_after": _insert_after,
    "overwrite": _overwrite,
    "tag": _tag,
}


def _name(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _is_solution(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _cell(notebook: NotebookNode, name: str) -> NotebookNode:
    for cell in notebook.cells:
        if _name(cell) == name:
            assert isinstance(cell, NotebookNode)
            return cell
    raise ValueError(f"there is no cell {name}")


def _written(notebook: NotebookNode, version: str) -> bytes:
    if version == "3":
        notebook = nbformat.convert(notebook, 3)
        return f"{nbformat.v3.writes_json(notebook)}\n".encode()
    notebook.nbformat_minor = int(version.removeprefix("4."))
    if notebook.nbformat_minor < 5:
        for cell in notebook.cells:
            del cell["id"]
    return f"{nbformat.v4.writes(notebook)}\n".encode()
