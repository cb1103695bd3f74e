"""Gives a submitted notebook back what it was released with: its locked cells, its grade cells, its metadata."""

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from stagegrade.autograde._hidden import BEGIN_HIDDEN, END_HIDDEN, without_hidden
from stagegrade.autograde._source import SourceCell, SourceNotebook, grade_id


def restore(notebook: NotebookNode, source: SourceNotebook) -> list[str]:
    """Mend ``notebook`` in place, whatever was done to it; returns what an instructor should see.

    Every cell of the release that is tested or graded is there afterwards once, with the release's metadata; a
    locked one has the release's source. A student's own cells stay where they are. Of copies the last
    keeps the name, as in nbgrader. A solution cell that is gone is not put back: its code may stand in
    another cell, which an empty one would undo.
    """
    flags: list[str] = []
    present: dict[str, NotebookNode] = {}
    for cell in reversed(notebook.cells):
        known = source.cell(grade_id(cell))
        cell.metadata.pop("nbgrader", None)
        if known is None:
            continue
        if known.grade_id in present:
            flags.append(f"cell {known.grade_id} appears more than once; the last one counts")
            continue
        present[known.grade_id] = cell
        flags += _mend(cell, known)
    for number, known in enumerate(source.cells):
        if known.grade_id in present or (known.solution and not known.grade):
            continue
        flags.append(f"cell {known.grade_id} was missing and was put back")
        present[known.grade_id] = _insert(notebook, source, number, present)
    flags += _in_order(notebook, source, present)
    missing = [c.grade_id for c in source.cells if c.grade_id not in present]
    flags += [f"solution cell {name} is missing" for name in missing]
    for cell in notebook.cells:
        for key in ("stagegrade", "deletable", "editable"):
            cell.metadata.pop(key, None)
    if source.kernelspec:
        notebook.metadata["kernelspec"] = from_dict(dict(source.kernelspec))
    return flags


def _mend(cell: NotebookNode, known: SourceCell) -> list[str]:
    flags = []
    if cell.cell_type != known.cell_type:
        flags.append(f"cell {known.grade_id} was changed from {known.cell_type} to {cell.cell_type}")
        cell.cell_type = known.cell_type
        if known.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.pop("attachments", None)
        else:
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    cell.metadata["nbgrader"] = from_dict(known.metadata())
    if known.locked:
        # A tag such as skip-execution decides nothing about a cell that is not the student's.
        cell.metadata.pop("tags", None)
        if cell.source != known.source:
            # A release lacks the hidden tests, which are put back without a word.
            if known.cell_type == "code" and not _as_released(cell.source, known.source):
                flags.append(f"locked cell {known.grade_id} was changed and was put back")
            cell.source = known.source
    return flags


def _as_released(source: str, known: str) -> bool:
    released, _ = without_hidden(known, BEGIN_HIDDEN, END_HIDDEN, instead=None)
    return _lines(source) in (_lines(released), _lines(known))


def _lines(source: str) -> list[str]:
    return [line.rstrip() for line in source.rstrip().splitlines()]


def _in_order(notebook: NotebookNode, source: SourceNotebook, present: dict[str, NotebookNode]) -> list[str]:
    """Move a test that stands before one that it follows in the release to behind it.

    A test's questions hold the right answers of the stages before it.
    """
    flags = []
    tests = [cell.grade_id for cell in source.cells if cell.stages and cell.grade_id in present]
    last = -1
    for name in tests:
        cell = present[name]
        at = _place(notebook, cell)
        if at < last:
            notebook.cells.insert(last + 1, cell)
            del notebook.cells[at]
            flags.append(f"cell {name} stood before a test that comes first, and was moved behind it")
            at = last
        last = at
    return flags


def _place(notebook: NotebookNode, cell: NotebookNode) -> int:
    # By identity: two cells of equal content are equal as nodes.
    return next(index for index, found in enumerate(notebook.cells) if found is cell)


def _insert(
    notebook: NotebookNode, source: SourceNotebook, number: int, present: dict[str, NotebookNode]
) -> NotebookNode:
    """Put the source's cell back after the nearest one before it that is there, or else before the nearest after."""
    known = source.cells[number]
    make = new_code_cell if known.cell_type == "code" else new_markdown_cell
    taken = {cell.id for cell in notebook.cells}
    names = (known.grade_id[:64], *(f"restored-{n}" for n in range(number, number + len(taken) + 1)))
    name = next(name for name in names if name not in taken)
    cell = make(source=known.source, id=name)
    cell.metadata["nbgrader"] = from_dict(known.metadata())
    # By identity: two cells of equal content are equal as nodes.
    places = {id(found): index for index, found in enumerate(notebook.cells)}
    before = [c.grade_id for c in source.cells[:number] if c.grade_id in present]
    after = [c.grade_id for c in source.cells[number + 1 :] if c.grade_id in present]
    if before:
        at = places[id(present[before[-1]])] + 1
    elif after:
        at = places[id(present[after[0]])]
    else:
        at = len(notebook.cells)
    notebook.cells.insert(at, cell)
    return cell


def blank(source: SourceNotebook) -> NotebookNode:
    """A notebook of the release's graded cells alone, for a submission that could not be read."""
    notebook = new_notebook()
    restore(notebook, source)
    return notebook
