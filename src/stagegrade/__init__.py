"""Staged comparison, attribution, and safe, fast grading of notebooks: the trusted side."""

__version__ = "0.1.0"

__all__ = ["__version__"]
