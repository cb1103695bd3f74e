"""Small notebooks: run by stock nbgrader and by ours, they must come out alike."""

import copy
import re
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

_CELL = re.compile(r"^# %%(?: (markdown|raw))?(?: tags=(\S+))?\n", re.MULTILINE)


def cells(text: str) -> tuple[NotebookNode, ...]:
    """The cells in ``text``, each after a line ``# %%`` that may say ``markdown``, ``raw`` or ``tags=a,b``."""
    _, *parts = _CELL.split(text)
    made = []
    for number, (kind, tags, source) in enumerate(
        zip(parts[::3], parts[1::3], parts[2::3], strict=True), start=1
    ):
        make = {"markdown": new_markdown_cell, "raw": new_raw_cell}.get(kind, new_code_cell)
        metadata = {"tags": tags.split(",")} if tags else {}
        made.append(make(source.removesuffix("\n"), id=f"cell-{number}", metadata=metadata))
    return tuple(made)


@dataclass(frozen=True)
class Example:
    """The cells of one notebook; ``files`` lie beside it."""

    cells: tuple[NotebookNode, ...]
    files: dict[str, str] = field(default_factory=dict)
    timeout: int = 30
    """Seconds a cell may take; the configured one of nbgrader's ``Execute``."""

    def lay_out(self, folder: Path) -> None:
        """Put its files into ``folder``, made where it is not there."""
        folder.mkdir(exist_ok=True)
        for name, content in self.files.items():
            (folder / name).write_text(content)

    def notebook(self) -> NotebookNode:
        """A fresh copy of the notebook."""
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook: NotebookNode = new_notebook(
            cells=copy.deepcopy(list(self.cells)), metadata={"kernelspec": kernel}
        )
        return notebook
