"""Measures this kit beside others, on this machine."""
