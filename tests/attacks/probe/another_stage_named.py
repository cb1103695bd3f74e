# Every offer is for the stage that can be answered.
# flag: which is not its test|_offer
import stageprobe._desk as desk
real = desk._offer
desk._offer = lambda stage, handed: {**real(stage, lambda *args: 0), "stage": "simplified_attention.score"}
