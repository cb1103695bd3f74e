# The old root, mounted or entered again.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
os.makedirs("old", exist_ok=True)
for call in (lambda: libc.unshare(0x10020000), lambda: libc.mount(b"/", b"old", None, 4096, None),
             lambda: libc.chroot(b"."), lambda: libc.mount(b"proc", b"old", b"proc", 0, None)):
    print(call(), os.strerror(ctypes.get_errno()))
print(os.listdir("old"))
