# Answers whose described shape, place or kind is not what is sent.
# flag: broke the line
import stageprobe._answer as answer
def scores_for(query, inputs):
    for spec in ({"t": "tensor", "dtype": "float64", "shape": [1 << 20, 1 << 20, 0, 1 << 20], "at": 0},
                 {"t": "tensor", "dtype": "float32", "shape": [-1, 5], "at": -8},
                 {"t": "tensor", "dtype": "object", "shape": [5], "at": 0}):
        value = {"t": "map", "v": [["value", spec], ["value", spec], ["raised", {"t": "plain", "v": None}]]}
        answer._desk._channel.send({"is": "outcome", "came": "returned", "value": value}, b"12345678")
    return torch.zeros(len(inputs))
