"""What is asked of the gradebook for each student does not read the rows of the whole class."""

from typing import Any

import pytest
from nbgrader.api import Base
from sqlalchemy import create_engine

from stagegrade.autograde import _gradebook, _marks

ASKED = {
    "points of a student's cells": _gradebook._CELLS,
    "comments on a student's cells": _gradebook._COMMENTS,
    "a student's notebook": _gradebook._SUBMITTED,
    "the grades that there are": _marks._grades_of,
    "the comments that there are": _marks._comments_of,
    "points anew": _marks._regrade,
    "a remark anew": _marks._remark,
}
OF_THE_CLASS = ("grade", "comment", "submitted_notebook", "submitted_assignment", "student")


@pytest.mark.parametrize("statement", ASKED.values(), ids=ASKED)
def test_a_statement_finds_its_rows_by_an_index(statement: Any) -> None:
    """Twice as many students would take four times as long: with 20,000 each took half as long again."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        Base.metadata.create_all(connection)
        compiled = statement.compile(dialect=engine.dialect)
        given = tuple(compiled.params.get(name) for name in compiled.positiontup)
        steps = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", given).all()
    plan = [str(step[3]) for step in steps]
    assert [] == [step for step in plan if step.split()[0] == "SCAN" and step.split()[1] in OF_THE_CLASS], (
        plan
    )
    engine.dispose()
