# A test's line in a cell of the student's own.
# flag: which is not its test
import stageprobe
stageprobe.answer("simplified_attention.scores", lambda query, inputs: inputs @ query)
