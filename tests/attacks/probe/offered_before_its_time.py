# The next tests' offers wait on the line before those tests have begun.
# flag: which is not its test
import stageprobe._answer as answer
for stage in ("simplified_attention.softmax", "simplified_attention.softmax", "self_attention.parameters", "no.such", "." * 300, ""):
    answer._desk._channel.send({"is": "offer", "stage": stage, "form": "module", "type": "type", "identity": -1, "cell": {"a": []}})
