"""The references give the published figures of the worked example, to four decimals."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn

from stagegrade.pipelines import Kind, Trace, Value, cases, find

SIMPLIFIED_SCORES = (
    (0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310),
    (1.4950, 1.4754, 0.8434, 0.7070, 1.0865),
    (1.4570, 0.8296, 0.7154, 1.0605),
    (0.4937, 0.3474, 0.6565),
    (0.6654, 0.2935),
    (0.9450,),
)
SIMPLIFIED_WEIGHTS = (
    (0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452),
    (0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581),
    (0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565),
    (0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720),
    (0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295),
    (0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896),
)
SIMPLIFIED_CONTEXTS = (
    (0.4421, 0.5931, 0.5790),
    (0.4419, 0.6515, 0.5683),
    (0.4431, 0.6496, 0.5671),
    (0.4304, 0.6298, 0.5510),
    (0.4671, 0.5910, 0.5266),
    (0.4177, 0.6503, 0.5645),
)
SELF_ATTENTION = (
    (0.2996, 0.8053),
    (0.3061, 0.8210),
    (0.3058, 0.8203),
    (0.2948, 0.7939),
    (0.2927, 0.7891),
    (0.2990, 0.8040),
)
WITH_LINEAR = (
    (-0.0739, 0.0713),
    (-0.0748, 0.0703),
    (-0.0749, 0.0702),
    (-0.0760, 0.0685),
    (-0.0763, 0.0679),
    (-0.0754, 0.0693),
)


def worked(assignment: str) -> Trace:
    pipeline = find(assignment)
    case = cases(pipeline, 1)[0]
    assert Kind.WORKED == case.kind
    return pipeline.run(case)


def tensor(value: Value) -> Tensor:
    assert isinstance(value, Tensor)
    return value


def assert_figures(expected: float | Sequence[float] | Sequence[Sequence[float]], got: Value) -> None:
    """Equal once rounded to the four decimals that were published."""
    torch.testing.assert_close(torch.tensor(expected), tensor(got), rtol=0, atol=5.01e-5)


def test_the_tokens_are_those_of_the_sentence():
    """Every figure of the notebooks would be off."""
    inputs = tensor(worked("simplified_attention")["inputs"])
    assert (6, 3) == tuple(inputs.shape)
    assert_figures((0.55, 0.87, 0.66), inputs[1])
    assert_figures((0.05, 0.80, 0.55), inputs[5])


def test_simplified_scores_of_the_second_token():
    """A student's right scores would be called wrong on the example they were worked out for."""
    trace = worked("simplified_attention")
    assert_figures(0.9544, trace["score"])
    scores = (0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865)
    assert_figures(scores, trace["scores"])
    by_their_sum = (0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656)
    assert_figures(by_their_sum, tensor(trace["scores"]) / tensor(trace["scores"]).sum())
    assert_figures(scores, tensor(trace["score_matrix"])[1])


@pytest.mark.parametrize("row", range(6))
def test_simplified_score_matrix(row):
    """The matrix of all scores would not be the published one, or not symmetric."""
    matrix = tensor(worked("simplified_attention")["score_matrix"])
    assert_figures(SIMPLIFIED_SCORES[row], matrix[row, row:])
    assert_figures(SIMPLIFIED_SCORES[row], matrix[row:, row])


def test_simplified_weights():
    """Softmax would run over another axis than the published weights."""
    assert_figures(SIMPLIFIED_WEIGHTS, worked("simplified_attention")["weights"])


def test_simplified_contexts():
    """The mixture of the inputs would not be the published one."""
    assert_figures(SIMPLIFIED_CONTEXTS, worked("simplified_attention")["context"])


def test_query_key_value_projection():
    """Seed and order of the three matrices would not be those of the example."""
    trace = worked("query_key_value")
    assert_figures((0.4306, 1.4551), trace["query"])
    assert (6, 2) == tuple(tensor(trace["keys"]).shape)
    assert (6, 2) == tuple(tensor(trace["values"]).shape)
    torch.testing.assert_close(
        torch.rand(3, 2, generator=torch.Generator().manual_seed(123)), tensor(trace["W_query"])
    )


def test_query_key_value_scores():
    """The second key would be another than keys[1], or the row of scores would not hold its score."""
    trace = worked("query_key_value")
    assert_figures(1.8524, trace["second_score"])
    assert_figures((1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440), trace["scores"])


def test_query_key_value_weights_and_context():
    """Scaling or softmax would not be the published ones."""
    trace = worked("query_key_value")
    assert_figures((0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820), trace["weights"])
    assert_figures((0.3061, 0.8210), trace["context"])


def test_self_attention_contexts():
    """The layer as a whole would give other figures, or its row 1 would not be the single token's context."""
    trace = worked("self_attention")
    assert_figures(SELF_ATTENTION, trace["context"])
    torch.testing.assert_close(tensor(worked("query_key_value")["context"]), tensor(trace["context"])[1])


def test_self_attention_with_linear_layers():
    """A weight of nn.Linear would have to be used untransposed for the published figures."""
    with torch.random.fork_rng():
        torch.manual_seed(789)
        layers = {name: nn.Linear(3, 2, bias=False) for name in ("W_query", "W_key", "W_value")}
    pipeline = find("self_attention")
    case = cases(pipeline, 1)[0]
    weights = {name: layer.weight.detach().T for name, layer in layers.items()}
    assert (2, 3) == tuple(layers["W_query"].weight.shape)
    trace: dict[str, Value] = {**case.inputs, **weights}
    for stage in pipeline.stages:
        if stage.of == "forward":
            trace |= stage.named(stage.reference(**stage.arguments(trace)))
    assert_figures(WITH_LINEAR, trace["context"])


def test_find_the_divergence_mends_to_the_same_figures():
    """The mended snippets would be held against other figures than the notebooks before them."""
    trace = worked("find_the_divergence")
    assert_figures((0.4306, 1.4551), trace["query"])
    assert_figures(1.8524, trace["second_score"])
    assert_figures((0.8984, 1.3098, 1.2806, 0.7633, 0.3944, 1.0918), trace["scaled"])
    assert_figures(SELF_ATTENTION, trace["context"])
