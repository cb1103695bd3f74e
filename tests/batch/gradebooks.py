"""What two courses must agree on after grading: every row of nbgrader's but for its random ids, and every file."""

from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

_JOINED = """
    from {table} t
    join submitted_notebook sn on sn.id = t.notebook_id
    join submitted_assignment s on s.id = sn.assignment_id
    join notebook n on n.id = sn.notebook_id
    join base_cell b on b.id = t.cell_id
"""
_TABLES = {
    "students": "select id, first_name, last_name, email, lms_user_id from student",
    "submissions": """select a.name, s.student_id, s.timestamp, s.extension from submitted_assignment s
        join assignment a on a.id = s.assignment_id""",
    "notebooks": """select n.name, s.student_id, sn.flagged, sn.late_submission_penalty from submitted_notebook sn
        join submitted_assignment s on s.id = sn.assignment_id join notebook n on n.id = sn.notebook_id""",
    "grades": "select b.name, n.name, s.student_id, t.auto_score, t.manual_score, t.extra_credit, t.needs_manual_grade"
    + _JOINED.format(table="grade"),
    "comments": "select b.name, n.name, s.student_id, t.auto_comment, t.manual_comment"
    + _JOINED.format(table="comment"),
}


def rows(db_url: str) -> dict[str, list[tuple[Any, ...]]]:
    """The gradebook's rows by table, sorted."""
    engine = create_engine(db_url)
    try:
        with engine.connect() as connection:
            return {
                name: sorted((tuple(map(_plain, row)) for row in connection.execute(text(query))), key=repr)
                for name, query in _TABLES.items()
            }
    finally:
        engine.dispose()


def _plain(value: Any) -> Any:
    """SQLite keeps a time as text, and a truth as a number."""
    if isinstance(value, datetime):
        return value.isoformat(" ", "microseconds")
    return int(value) if isinstance(value, bool) else value


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Content and permissions of each file, by its path below ``folder``."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mode & 0o777)
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def url(course: Path) -> str:
    return f"sqlite:///{course / 'gradebook.db'}"
