"""Measures how right attribution is."""
