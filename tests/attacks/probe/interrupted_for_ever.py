# Each question is answered by an interrupt of its own.
import os, signal
def scores_for(query, inputs):
    while True: os.kill(os.getpid(), signal.SIGINT)
