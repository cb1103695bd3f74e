"""What a gradebook holds, without the random ids by which its rows refer to one another."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]

# By which columns people know the row of a table; a reference is known by the row that it leads to.
_NAMED_BY: Mapping[str, tuple[str, ...]] = {
    "assignment": ("name",),
    "notebook": ("assignment_id", "name"),
    "base_cell": ("notebook_id", "name"),
    "submitted_assignment": ("student_id", "assignment_id"),
    "submitted_notebook": ("assignment_id", "notebook_id"),
}
# Which version of the database's layout it is, and from what code it was graded: not what is in it.
_NO_CONTENT = {"alembic_version", "stagegrade_graded_from"}


def content(path: Path) -> dict[str, list[Row]]:
    """The rows of every table, in an order of their own, references and ids replaced by names."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as gradebook:
        gradebook.row_factory = sqlite3.Row
        tables = [
            str(name)
            for (name,) in gradebook.execute("select name from sqlite_master where type = 'table'")
            if name not in _NO_CONTENT
        ]
        names = _Names(gradebook, tables)
        return {table: sorted(names.rows(table), key=repr) for table in sorted(tables)}


class _Names:
    def __init__(self, gradebook: sqlite3.Connection, tables: list[str]) -> None:
        # S608 does not apply: the names are the database's own.
        self._rows = {table: gradebook.execute(f'select * from "{table}"').fetchall() for table in tables}
        self._by_id = {
            table: {row["id"]: row for row in rows}
            for table, rows in self._rows.items()
            if table in _NAMED_BY
        }
        self._references = {
            table: {
                str(found["from"]): str(found["table"])
                for found in gradebook.execute(f'pragma foreign_key_list("{table}")')
            }
            for table in tables
        }

    def rows(self, table: str) -> list[Row]:
        return [
            {column: self._value(table, column, row[column]) for column in row.keys()}  # noqa: SIM118
            for row in self._rows[table]
            if not self._is_bare(table, row)
        ]

    def _is_bare(self, table: str, row: sqlite3.Row) -> bool:
        """nbgrader opens a gradebook under the name of another course now and then, which leaves its name."""
        return table == "course" and row["id"] == "default_course"

    def _value(self, table: str, column: str, value: Any) -> Any:
        if column == "id" and table in self._by_id:
            return self._name(table, value)
        to = self._references[table].get(column)
        if to in self._by_id and value is not None:
            return self._name(str(to), value)
        if column == "id" and table not in ("student", "course"):
            # Nothing refers to such a row, and it is known by what else it holds.
            return None
        return value

    def _name(self, table: str, key: str) -> str:
        row = self._by_id[table][key]
        return "/".join(str(self._value(table, column, row[column])) for column in _NAMED_BY[table])
