"""Turns records of verdicts into panels, tables and pages. Pure rendering: given data, gives back text.

A name is imported when it is first asked for: what writes a line on a terminal needs nothing of what renders a
notebook.
"""

from typing import TYPE_CHECKING

from stagegrade import imported_when_asked

if TYPE_CHECKING:
    from stagegrade.report._cohort import Cohort, Submission
    from stagegrade.report._csv import csv_text, is_formula, neutral
    from stagegrade.report._explain import explanation
    from stagegrade.report._feedback import CellGrade, Grades, feedback_page
    from stagegrade.report._markup import markdown_of_cell, safe_html
    from stagegrade.report._panel import panel
    from stagegrade.report._proofs import Finding, Proof, proofs_text
    from stagegrade.report._report import report_csv, report_data, report_page
    from stagegrade.report._table import LEGEND, cohort_table, sentence_of

__all__ = [
    "LEGEND",
    "CellGrade",
    "Cohort",
    "Finding",
    "Grades",
    "Proof",
    "Submission",
    "cohort_table",
    "csv_text",
    "explanation",
    "feedback_page",
    "is_formula",
    "markdown_of_cell",
    "neutral",
    "panel",
    "proofs_text",
    "report_csv",
    "report_data",
    "report_page",
    "safe_html",
    "sentence_of",
]

_HOMES = {
    "_cohort": ("Cohort", "Submission"),
    "_csv": ("csv_text", "is_formula", "neutral"),
    "_explain": ("explanation",),
    "_feedback": ("CellGrade", "Grades", "feedback_page"),
    "_markup": ("markdown_of_cell", "safe_html"),
    "_panel": ("panel",),
    "_report": ("report_csv", "report_data", "report_page"),
    "_proofs": ("Finding", "Proof", "proofs_text"),
    "_table": ("LEGEND", "cohort_table", "sentence_of"),
}

__getattr__ = imported_when_asked(__name__, _HOMES)
