# Frames without content, as fast as they can be made.
import socket, struct
import stageprobe._answer as answer
head = b'{"is":"iopub"}'
many = (struct.pack(">IQ", len(head), 0) + head) * 4096
while True: answer._desk._channel._connection.sendall(many)
