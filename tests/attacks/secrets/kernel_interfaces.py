# System calls that a notebook has no use for: io_uring, bpf, performance counters, keys, faults in user space.
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
room = ctypes.create_string_buffer(256)
for name, call in {"io_uring": (425, 8, room), "bpf": (321, 0, room, 72), "perf": (298, room, 0, -1, -1, 0), "userfaultfd": (323, 1),
                   "keyctl": (250, 0, -3, 0), "add_key": (248, b"user", b"a", b"b", 1, -4), "clone3": (435, room, 88), "handle": (303, -100, b"/", room, room, 0)}.items():
    if libc.syscall(*call) >= 0: print("SECRET", name)
