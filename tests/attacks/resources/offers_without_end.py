# Stages are offered without end, and each time turned away.
import stageprobe._answer as answer
while True:
    answer._desk._channel.send({"is": "offer", "stage": "x" * 200})
    answer._desk._channel.receive()
