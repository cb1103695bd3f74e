"""Turns records of verdicts into panels and tables. Pure rendering: given data, gives back text."""

from stagegrade.report._csv import csv_text, is_formula, neutral
from stagegrade.report._explain import explanation
from stagegrade.report._panel import panel
from stagegrade.report._table import LEGEND, cohort_table, sentence_of

__all__ = [
    "LEGEND",
    "cohort_table",
    "csv_text",
    "explanation",
    "is_formula",
    "neutral",
    "panel",
    "sentence_of",
]
