"""Lets a loop that waits in ``select`` wake up at a signal."""

import os
import signal


def wake_on_signals() -> int:
    """A descriptor that can be read after each signal that this process handles; read it empty before waiting again."""
    wake, woken = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    return wake
