# Open files without end.
held = [open("/dev/null") for _ in range(100000)]
