"""One file an assignment, of its name, with its ``PIPELINE``."""
