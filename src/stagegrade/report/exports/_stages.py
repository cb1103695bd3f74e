"""A row for each stage of each submission, for whoever analyses a cohort further: as CSV and as Parquet."""

import io
from collections.abc import Iterator, Sequence

from stagegrade.report._csv import Cell, csv_text
from stagegrade.report._verdicts import mistake_of
from stagegrade.report.exports._grade import Grade

# Each column with the type that it has in Parquet.
COLUMNS: dict[str, type] = {
    "assignment": str,
    "student_id": str,
    "last_name": str,
    "first_name": str,
    "submitted": str,
    "status": str,
    "position": int,
    "stage": str,
    "verdict": str,
    "carried": bool,
    "first_divergence": bool,
    "points": float,
    "max_points": float,
    "mistake": str,
    "checkpoint": str,
    "confidence": str,
    "case_kind": str,
    "case_seed": int,
    "message": str,
}


class NeedsPackage(Exception):
    """A format needs a package that is not installed; ``mend`` says how to install it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed")
        self.mend = f"pip install 'stagegrade[{extra}]'"


def stages(grades: Sequence[Grade], missing: str = "") -> bytes:
    """UTF-8 CSV with ``COLUMNS``; who handed nothing in has one row without a stage."""
    return csv_text([tuple(COLUMNS), *(row for grade in grades for row in _rows(grade))]).encode()


def parquet(grades: Sequence[Grade], missing: str = "") -> bytes:
    """The same table in Parquet, with a type to each column and nulls where there is nothing.

    Raises ``NeedsPackage`` without pyarrow.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise NeedsPackage("pyarrow", "parquet") from error
    kinds = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    rows = [dict(zip(COLUMNS, row, strict=True)) for grade in grades for row in _rows(grade)]
    made = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), made)
    return made.getvalue()


def _rows(grade: Grade) -> Iterator[Sequence[Cell]]:
    student, record = grade.student, grade.record
    who = (grade.assignment, student.id, student.last_name, student.first_name, str(grade.submitted))
    if record is None:
        yield (*who, *[None] * (len(COLUMNS) - len(who)))
        return
    for position, row in enumerate(record["stages"], start=1):
        first = row["stage"] == record["first_divergence"]
        evidence, case = row["evidence"] or {}, row["case"] or {}
        yield (
            *who,
            record["status"],
            position,
            row["stage"],
            row["verdict"],
            row["carried"],
            first,
            float(row["points"]),
            float(row["max_points"]),
            mistake_of(row),
            record["checkpoint"] if first else None,
            evidence.get("confidence"),
            case.get("kind"),
            case.get("seed"),
            row["message"],
        )
