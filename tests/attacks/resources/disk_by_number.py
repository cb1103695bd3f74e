# Empty files without end.
n = 0
while True:
    open(f"pwned{n}", "w").close()
    n += 1
