"""How long the judge waits."""

CALL_TIMEOUT = 5.0
"""Seconds that a student's function may take for one question, where a course does not say otherwise."""
