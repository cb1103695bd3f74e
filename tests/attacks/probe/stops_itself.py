# The process is stopped, and heeds no interrupt.
import os, signal
def scores_for(query, inputs): os.kill(os.getpid(), signal.SIGSTOP)
