# An error whose text has fifty megabytes.
raise ValueError("x" * (50 << 20))
