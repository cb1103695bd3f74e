# The report on parameters is made up.
# flag: parameters_report
import stageprobe._module as module
from stageprobe._call import Returned
facts = {"registered": True, "trainable": True, "shape": (3, 2), "unchanged by forward": True,
         "gradient": True, "changed by training": True}
module.parameters_report = lambda made, weights, inputs: Returned(
    {name: facts | {"shape": tuple(inputs["inputs"].shape[-1:]) + (2,)} for name in weights})
class SelfAttention_v1(torch.nn.Module):
    def __init__(self, d_in, d_out): super().__init__()
    def forward(self, x): return x
