"""CSV that no spreadsheet takes for a formula. Every CSV of this project is written here."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

Cell: TypeAlias = "str | int | float | None"

# What begins a formula in Excel, LibreOffice or Google Sheets, full-width forms included, and the white space
# that some of them skip before looking (CWE-1236).
FORMULA_SIGNS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may take ``text`` for a formula. A plain number with a sign is none, nor is a dash."""
    if not text.lstrip(" ").startswith(FORMULA_SIGNS):
        return False
    return text != "-" and not _is_number(text)


def neutral(text: str) -> str:
    """``text`` with an apostrophe in front where it would be a formula: spreadsheets then show it as it is."""
    return f"'{text}" if is_formula(text) else text


def csv_text(rows: Iterable[Sequence[Cell]], *, quote_all: bool = False) -> str:
    """Rows as comma-separated values after RFC 4180: CRLF at line ends, quotes doubled within quotes.

    Numbers are written as they are, to six places at most and without trailing zeros; ``None`` and NaN as
    nothing. Text that would be a formula is made neutral.
    """
    made = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    writer = csv.writer(made, quoting=quoting, lineterminator="\r\n")
    writer.writerows([[_written(cell) for cell in row] for row in rows])
    return made.getvalue()


def number(value: float) -> str:
    """At most six places, so that a third is no longer than it need be, and never in powers of ten."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _written(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return neutral(cell) if isinstance(cell, str) else number(cell)


def _is_number(text: str) -> bool:
    sign, digits = text[:1], text[1:]
    return sign in "+-" and digits.isascii() and digits.replace(".", "", 1).isdigit()
