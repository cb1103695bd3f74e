# A process that is started while the first one ends.
import atexit, os
def again():
    if os.fork() == 0: os.execvp("sleep", ["sleep", "31337"])
atexit.register(again)
import threading
threading.Thread(target=lambda: (__import__("time").sleep(0.5), again()), daemon=True).start()
