"""What grading decides about the cells of one notebook, and how it stands in the gradebook."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import BaseCell, Comment, Grade
from sqlalchemy import Connection, Table, and_, bindparam, insert, or_, select, update

# nbgrader builds its tables in a way that a type checker cannot follow.
_CELLS: Table = BaseCell.__table__
_GRADES: Table = Grade.__table__
_COMMENTS: Table = Comment.__table__

NO_RESPONSE = "No response."


@dataclass(frozen=True)
class Marks:
    """Points and remarks by ``grade_id``. A score of ``None`` waits for a person."""

    scores: Mapping[str, float | None]
    comments: Mapping[str, str | None]


def marks_of(notebook: NotebookNode, scores: Mapping[str, float | None]) -> Marks:
    """The marks of a graded notebook, with nbgrader's remark on answers that stand as they were released."""
    comments: dict[str, str | None] = {}
    for cell in notebook.cells:
        if utils.is_task(cell):
            comments[cell.metadata.nbgrader["grade_id"]] = None
        elif utils.is_solution(cell):
            unchanged = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
            comments[cell.metadata.nbgrader["grade_id"]] = NO_RESPONSE if unchanged else None
    return Marks(scores, comments)


def save_marks(connection: Connection, submitted: str, notebook: str, marks: Marks) -> None:
    """Write the marks of the submitted notebook, by its id and that of the notebook it is of.

    As nbgrader does: what a person gave by hand stays, and such a cell waits to be looked at again. A row that
    the gradebook lacks is made.
    """
    cells = connection.execute(_cells_of, {"notebook": notebook}).all()
    graded = [(cell, name) for cell, name, kind in cells if kind in ("GradeCell", "TaskCell")]
    commented = [(cell, name) for cell, name, kind in cells if kind in ("SolutionCell", "TaskCell")]
    there = {"submitted": submitted, "notebook": notebook}
    known = set(connection.execute(_grades_of, there).scalars())
    new = [
        {
            "id": uuid4().hex,
            "notebook_id": submitted,
            "cell_id": cell,
            "auto_score": marks.scores.get(name),
            "needs_manual_grade": marks.scores.get(name) is None,
        }
        for cell, name in graded
        if cell not in known
    ]
    old = [
        {"cell": cell, "submitted": submitted, "score": score, "waits": score is None}
        for cell, name in graded
        if cell in known and name in marks.scores
        for score in [marks.scores[name]]
    ]
    _write(connection, insert(_GRADES), new)
    _write(connection, _regrade, old)
    known = set(connection.execute(_comments_of, there).scalars())
    new = [
        {
            "id": uuid4().hex,
            "notebook_id": submitted,
            "cell_id": cell,
            "auto_comment": marks.comments.get(name),
        }
        for cell, name in commented
        if cell not in known
    ]
    old = [
        {"cell": cell, "submitted": submitted, "said": marks.comments[name]}
        for cell, name in commented
        if cell in known and name in marks.comments
    ]
    _write(connection, insert(_COMMENTS), new)
    _write(connection, _remark, old)


def _write(connection: Connection, statement: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(statement, rows)


def cells_of(notebook: Any) -> Any:
    """The ids of the cells of a notebook of the source, by its id, to ask for a student's rows by.

    The one index on grades, and that on comments, begins with the cell: by the student's notebook alone all rows of the
    class would be read for each student.
    """
    return select(_CELLS.c.id).where(_CELLS.c.notebook_id == notebook)


_cells_of = select(_CELLS.c.id, _CELLS.c.name, _CELLS.c.type).where(
    _CELLS.c.notebook_id == bindparam("notebook")
)
_grades_of = select(_GRADES.c.cell_id).where(
    _GRADES.c.cell_id.in_(cells_of(bindparam("notebook"))), _GRADES.c.notebook_id == bindparam("submitted")
)
_comments_of = select(_COMMENTS.c.cell_id).where(
    _COMMENTS.c.cell_id.in_(cells_of(bindparam("notebook"))),
    _COMMENTS.c.notebook_id == bindparam("submitted"),
)
_regrade = (
    update(_GRADES)
    .where(and_(_GRADES.c.notebook_id == bindparam("submitted"), _GRADES.c.cell_id == bindparam("cell")))
    .values(
        auto_score=bindparam("score"),
        needs_manual_grade=or_(_GRADES.c.manual_score.is_not(None), bindparam("waits")),
    )
)
_remark = (
    update(_COMMENTS)
    .where(and_(_COMMENTS.c.notebook_id == bindparam("submitted"), _COMMENTS.c.cell_id == bindparam("cell")))
    .values(auto_comment=bindparam("said"))
)
