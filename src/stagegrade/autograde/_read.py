"""Reads a submitted notebook, whatever it is, within bounds."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from stagegrade.autograde._foreign import absent, kind_of
from stagegrade.autograde._metadata import cell_metadata, notebook_metadata, texts

MAX_BYTES = 20 << 20
MAX_CELLS = 2000
MAX_DEPTH = 64
ORIGINAL = "Hand in the original notebook, or the copy of it under .ipynb_checkpoints."
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_KINDS = ("code", "markdown", "raw")


@dataclass
class UnreadableNotebook(Exception):
    """A submission that is no notebook. ``reason`` says why and what to do, for student and instructor."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path.name}: {self.reason}"


def read_notebook(path: Path, max_bytes: int = MAX_BYTES) -> NotebookNode:
    """The notebook in the newest format, made anew: of each cell its type, source, metadata and attachments.

    Outputs are left behind. Formats 3 and older 4 are converted. Raises ``UnreadableNotebook``.
    """
    if path.is_symlink() or not path.is_file():
        raise UnreadableNotebook(path, absent(path))
    size = path.stat().st_size
    if size == 0:
        raise UnreadableNotebook(path, "the file is empty. Save the notebook and hand it in again.")
    if size > max_bytes:
        raise UnreadableNotebook(
            path,
            f"the file has {size / 1e6:.0f} MB, and at most {max_bytes / 1e6:.0f} MB are read. Clear the outputs "
            "(Edit, Clear Outputs of All Cells), save, and hand it in again.",
        )
    content = path.read_bytes()
    try:
        raw = json.loads(content)
        if _nests_deep(raw):
            raise ValueError(f"it nests more than {MAX_DEPTH} deep")
        raw = raw if _is_writable(content) else _writable(raw)
    except (ValueError, RecursionError) as error:
        other = kind_of(content)
        said = f", but {other}. Hand in the notebook itself." if other else f" ({_short(error)}). {ORIGINAL}"
        raise UnreadableNotebook(path, f"it is not JSON, which every notebook is{said}") from error
    return _rebuilt(path, raw)


def _rebuilt(path: Path, raw: Any) -> NotebookNode:
    if not isinstance(raw, dict) or not isinstance(raw.get("nbformat"), int):
        raise UnreadableNotebook(
            path, f"it is JSON but not a notebook: it does not say its nbformat. {ORIGINAL}"
        )
    if raw["nbformat"] > nbformat.current_nbformat:
        raise UnreadableNotebook(
            path,
            f"its format {raw['nbformat']} is newer than {nbformat.current_nbformat}, the newest known. {ORIGINAL}",
        )
    if raw["nbformat"] < nbformat.current_nbformat:
        try:
            raw = nbformat.convert(nbformat.from_dict(raw), nbformat.current_nbformat)
            # The converter draws ids at random, and a regrade would give other notebooks.
            for cell in raw["cells"]:
                cell.pop("id", None)
        except Exception as error:  # nbformat's converters raise whatever a malformed notebook makes them
            raise UnreadableNotebook(
                path, f"its format {raw['nbformat']} could not be converted ({_short(error)}). {ORIGINAL}"
            ) from error
    cells = raw.get("cells")
    if not isinstance(cells, list):
        raise UnreadableNotebook(path, f"it has no list of cells. {ORIGINAL}")
    if len(cells) > MAX_CELLS:
        raise UnreadableNotebook(
            path, f"it has {len(cells)} cells, and at most {MAX_CELLS} are read. {ORIGINAL}"
        )
    taken: set[str] = set()
    found = [_cell(cell, number, taken) for number, cell in enumerate(cells) if isinstance(cell, dict)]
    metadata = raw.get("metadata")
    # As its cells are, put together here.
    return NotebookNode(
        nbformat=nbformat.current_nbformat,
        nbformat_minor=nbformat.current_nbformat_minor,
        metadata=nbformat.from_dict(notebook_metadata(metadata) if isinstance(metadata, dict) else {}),
        cells=found,
    )


def _cell(cell: dict[str, Any], number: int, taken: set[str]) -> NotebookNode:
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(str(line) for line in source)
    kind = cell.get("cell_type")
    # Put together here, so that nbformat's makers need not hold each against the schema.
    found = NotebookNode(cell_type=kind if kind in _KINDS else "raw", source=str(source))
    metadata = cell.get("metadata")
    found.metadata = nbformat.from_dict(cell_metadata(metadata))
    if found.cell_type == "code":
        found.execution_count = None
        found.outputs = []
    elif isinstance(cell.get("attachments"), dict):
        kept = {key: texts(data) for key, data in cell["attachments"].items()}
        found.attachments = nbformat.from_dict({key: data for key, data in kept.items() if data})
    name = cell.get("id")
    # Where a format has no ids, or a copy has another's, a name that is the same on every run.
    usable = isinstance(name, str) and _ID.fullmatch(name) and name not in taken
    found.id = name if usable else next(f"cell-{n}" for n in range(number, 10**6) if f"cell-{n}" not in taken)
    taken.add(found.id)
    return found


def _nests_deep(found: Any) -> bool:
    """Whether there are containers within more than ``MAX_DEPTH`` others."""
    level = [found] if isinstance(found, (dict, list)) else []
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def _is_writable(content: bytes) -> bool:
    """Whether JSON can name no half of a surrogate pair: it is UTF-8, and has none written as an escape."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    return "\0" not in text and _SURROGATE.search(text) is None


def _writable(found: Any) -> Any:
    """The same data as UTF-8 can hold it, without half a surrogate pair."""
    if isinstance(found, str):
        return found if found.isascii() else found.encode("utf-8", "replace").decode()
    if isinstance(found, list):
        return [_writable(item) for item in found]
    if isinstance(found, dict):
        return {_writable(key): _writable(item) for key, item in found.items()}
    return found


def _short(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:200]
