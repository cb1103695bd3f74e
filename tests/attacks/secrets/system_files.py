# Files that only root may read.
for path in ("/etc/shadow", "/etc/gshadow", "/dev/mem", "/dev/kmsg", "/proc/kcore", "/proc/1/root/etc/shadow", "/sys/kernel/notes"):
    try: print("SECRET", path, open(path, "rb").read(64))
    except OSError as error: print(error)
