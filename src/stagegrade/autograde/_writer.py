"""The one who writes the gradebook: a transaction a submission, the rows that nbgrader would have written."""

import datetime
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import sqlalchemy
from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import Connection, create_engine, event, func, insert, select, update
from sqlalchemy.exc import IntegrityError, OperationalError

from stagegrade.autograde._marks import Marks, cells_of, save_marks
from stagegrade.autograde._origins import Origin, keep_origin, make_table, origins
from stagegrade.autograde._settled import settled_by_hand
from stagegrade.autograde._source import SourceNotebook, source_notebook

BUSY_SECONDS = 60
TRIES = 5

# nbgrader builds its tables in a way that a type checker cannot follow.
_STUDENTS: Any = Student.__table__
_SUBMITTED: Any = SubmittedAssignment.__table__
_NOTEBOOKS: Any = SubmittedNotebook.__table__
_ASSIGNMENTS: Any = Assignment.__table__


class NoSuchStudent(Exception):
    """The gradebook has no such student, and the course's configuration forbids to add one."""


class Writer:
    """Holds the gradebook open for one assignment."""

    def __init__(self, db_url: str, course_id: str, assignment: str) -> None:
        with Gradebook(db_url, course_id) as gradebook:
            found: Any = gradebook.find_assignment(assignment)
            self._assignment = str(found.id)
            self._ids = {str(n.name): str(n.id) for n in found.notebooks}
            self.sources: dict[str, SourceNotebook] = {
                name: source_notebook(gradebook, assignment, name) for name in self._ids
            }
        self._engine = _engine(db_url)
        with self._engine.begin() as connection:
            # What an older nbgrader's gradebook lacks is to show now, and not at the end of each submission.
            for table in _STUDENTS.metadata.sorted_tables:
                connection.execute(select(table).limit(0))
            make_table(connection)

    def close(self) -> None:
        self._engine.dispose()

    def origins(self) -> dict[str, dict[str, Origin | None]]:
        """Of each student with a submission, what each notebook's grade came from; ``None`` where that is unknown."""
        found: dict[str, dict[str, Origin | None]] = {}
        with self._engine.begin() as connection:
            for student, name, origin in origins(connection, self._assignment):
                found.setdefault(student, {})[name] = origin
        return found

    def settled(self) -> set[tuple[str, str]]:
        """Student and notebook of each submission that a person has settled by giving points."""
        with self._engine.begin() as connection:
            return settled_by_hand(connection, self._assignment)

    def write(
        self,
        student: str,
        *,
        timestamp: datetime.datetime | None,
        marks: Mapping[str, Marks],
        origins: Mapping[str, Origin],
        absent: Sequence[str] = (),
        late: AssignLatePenalties | None = None,
        create_student: bool = True,
    ) -> None:
        """All that grading one submission changes. Raises ``NoSuchStudent``.

        ``marks`` are of the notebooks that were graded; ``absent`` names others of which nothing was handed in and
        which therefore have no points. ``late`` is the course's configured way of taking points off.
        """
        for attempt in range(1, TRIES + 1):
            try:
                with self._engine.begin() as connection:
                    submitted = self._submitted(connection, student, timestamp, create_student)
                    notebooks = self._submitted_notebooks(connection, submitted)
                    for name in absent:
                        _no_points(connection, notebooks[name], self._ids[name])
                    for name, given in marks.items():
                        save_marks(connection, notebooks[name], self._ids[name], given)
                        keep_origin(connection, notebooks[name], origins[name])
                        if late is not None:
                            self._penalise(
                                connection, late, student, submitted, notebooks[name], self._ids[name]
                            )
                return
            except (IntegrityError, OperationalError):
                # Another grader added the same student or submission meanwhile, or two waited for each other.
                if attempt == TRIES:
                    raise

    def _submitted(
        self,
        connection: Connection,
        student: str,
        timestamp: datetime.datetime | None,
        create_student: bool,
    ) -> str:
        if connection.execute(select(_STUDENTS.c.id).where(_STUDENTS.c.id == student)).first() is None:
            if not create_student:
                raise NoSuchStudent(
                    f"the gradebook has no student {student}; add them: nbgrader db student add"
                )
            connection.execute(insert(_STUDENTS).values(id=student))
        # Locked, so that two graders of one submission write one after the other.
        found = connection.execute(
            select(_SUBMITTED.c.id)
            .where(_SUBMITTED.c.assignment_id == self._assignment, _SUBMITTED.c.student_id == student)
            .with_for_update()
        ).scalar()
        if found is None:
            made = uuid4().hex
            connection.execute(
                insert(_SUBMITTED).values(
                    id=made, assignment_id=self._assignment, student_id=student, timestamp=timestamp
                )
            )
            return made
        if timestamp is not None:
            connection.execute(update(_SUBMITTED).where(_SUBMITTED.c.id == found).values(timestamp=timestamp))
        return str(found)

    def _submitted_notebooks(self, connection: Connection, submitted: str) -> dict[str, str]:
        """The ids of the submission's notebooks by name; those that the gradebook lacks are added."""
        rows = connection.execute(
            # The index begins with the notebooks of the source.
            select(_NOTEBOOKS.c.notebook_id, _NOTEBOOKS.c.id).where(
                _NOTEBOOKS.c.notebook_id.in_(self._ids.values()), _NOTEBOOKS.c.assignment_id == submitted
            )
        ).all()
        by_source = {str(source): str(own) for source, own in rows}
        for source in self._ids.values():
            if source not in by_source:
                made = by_source[source] = uuid4().hex
                connection.execute(
                    insert(_NOTEBOOKS).values(id=made, assignment_id=submitted, notebook_id=source)
                )
                save_marks(connection, made, source, Marks({}, {}))
        return {name: by_source[source] for name, source in self._ids.items()}

    def _penalise(
        self,
        connection: Connection,
        late: AssignLatePenalties,
        student: str,
        submitted: str,
        notebook: str,
        source: str,
    ) -> None:
        """As ``AssignLatePenalties`` does, with the plugin that the course has configured."""
        timestamp, extension, duedate = connection.execute(
            select(_SUBMITTED.c.timestamp, _SUBMITTED.c.extension, _ASSIGNMENTS.c.duedate)
            .join(_ASSIGNMENTS, _ASSIGNMENTS.c.id == _SUBMITTED.c.assignment_id)
            .where(_SUBMITTED.c.id == submitted)
        ).one()
        penalty = None
        if timestamp is not None and duedate is not None:
            seconds = (timestamp - duedate - (extension or datetime.timedelta())).total_seconds()
            if seconds > 0:
                grades: Any = Grade
                score = connection.execute(
                    select(func.coalesce(func.sum(grades.score), 0.0)).where(
                        grades.cell_id.in_(cells_of(source)), grades.notebook_id == notebook
                    )
                ).scalar_one()
                late.init_plugin()
                plugin: Any = late.plugin_inst
                penalty = plugin.late_submission_penalty(student, score, seconds)
                if penalty is not None:
                    # nbgrader's own bounds; of the notebook it looks at the score alone.
                    penalty = late._check_late_penalty(SimpleNamespace(score=score), penalty)  # type: ignore[arg-type]
        connection.execute(
            update(_NOTEBOOKS).where(_NOTEBOOKS.c.id == notebook).values(late_submission_penalty=penalty)
        )


def _no_points(connection: Connection, notebook: str, source: str) -> None:
    grades: Any = Grade.__table__
    connection.execute(
        update(grades)
        .where(grades.c.cell_id.in_(cells_of(source)), grades.c.notebook_id == notebook)
        .values(auto_score=0.0, needs_manual_grade=False)
    )


def _engine(db_url: str) -> sqlalchemy.Engine:
    engine = create_engine(db_url)
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def prepare(connection: Any, record: object) -> None:
            # Transactions begin where SQLAlchemy says, not where the driver guesses.
            connection.isolation_level = None
            connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
            # Readers, such as formgrader, and the writer do not wait for each other.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
