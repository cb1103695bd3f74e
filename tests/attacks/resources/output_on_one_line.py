# Fifty megabytes on one line.
print("x" * (50 << 20))
