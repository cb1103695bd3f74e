"""Grades for other systems: each format a module, from grades to the bytes of a file."""

from stagegrade.report.exports._formats import FORMATS, Format
from stagegrade.report.exports._grade import ROSTER_COLUMNS, Grade, Student, Submitted, remark
from stagegrade.report.exports._grades import shared, unidentified
from stagegrade.report.exports._gradescope import results
from stagegrade.report.exports._stages import NeedsPackage

__all__ = [
    "FORMATS",
    "ROSTER_COLUMNS",
    "Format",
    "Grade",
    "NeedsPackage",
    "Student",
    "Submitted",
    "remark",
    "results",
    "shared",
    "unidentified",
]
