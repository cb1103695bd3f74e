# Sockets of the machine's services.
import socket, glob
for path in [f"\0SECRET-socket-{PORT}", *glob.glob("/run/**/*.sock", recursive=True), "/var/run/docker.sock", "/dev/log"]:
    with socket.socket(socket.AF_UNIX) as line:
        try: line.connect(path); print("SECRET", path)
        except OSError as error: print(error)
