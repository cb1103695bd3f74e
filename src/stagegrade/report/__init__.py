"""Turns records of verdicts into panels and tables. Pure rendering: given data, gives back text."""

from stagegrade.report._panel import panel

__all__ = ["panel"]
