# Another process is traced, or read by a system call.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in range(1, 60):
    if pid == os.getpid(): continue
    print(libc.ptrace(16, pid, 0, 0), libc.process_vm_readv(pid, 0, 0, 0, 0, 0))
