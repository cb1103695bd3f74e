# A server on the grader's machine.
import socket
with socket.create_connection(("127.0.0.1", PORT), 2) as line: print(line.recv(100))
