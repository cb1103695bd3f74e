# Every signal that can be blocked is.
import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, set(range(1, 64)))
while True: time.sleep(1)
