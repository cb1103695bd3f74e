# A process that leaves its parent, its session and its signals behind.
import os, signal, time
if os.fork() == 0:
    os.setsid()
    for number in range(1, 30):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    if os.fork() == 0: os.execvp("sleep", ["sleep", "31337"])
    os._exit(0)
time.sleep(0.2)
