"""``SelfAttention_v1``: one ``forward``, of which only the output and the tensors it makes are seen."""

from typing import Any

import pytest
from torch import nn

from stagegrade.diagnosis import StageVerdict, Verdict, first_divergence
from tests.judge import layers
from tests.judge.desk import alone, hand, judge_of

STAGES = ("parameters", "projection", "scores", "scaling", "softmax", "context")


def verdicts(kind: Any) -> dict[str, StageVerdict]:
    judge = judge_of("self_attention")
    return {stage: hand(judge, stage, kind) for stage in STAGES}


def first(found: dict[str, StageVerdict]) -> str | None:
    return first_divergence(list(found.values()))


RIGHT = [
    layers.Parameters, layers.Linears, layers.Einsum, layers.Loops, layers.Fused, layers.Float64, layers.Mapped,
    layers.QueryScaledFirst, layers.WithExtras, layers.Remembering,
]  # fmt: skip


@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_layer_is_right_however_it_is_written(kind: type[nn.Module]) -> None:
    """A student who finds another way to the right output would lose points."""
    assert dict.fromkeys(STAGES, (Verdict.CORRECT, False)) == {
        stage: (found.verdict, found.carried) for stage, found in verdicts(kind).items()
    }


PARAMETERS_ALONE = [
    layers.WithoutBase, layers.PlainTensors, layers.SizesExchanged, layers.InNumPy, layers.GivesAnArray,
]  # fmt: skip


@pytest.mark.parametrize("kind", PARAMETERS_ALONE)
def test_parameters_that_are_wrong_cost_that_stage_alone(kind: type[nn.Module]) -> None:
    """One slip in the constructor would cost every stage of ``forward``, which is right."""
    found = verdicts(kind)
    assert ["parameters"] == [stage for stage, verdict in found.items() if not verdict.passed]


def test_a_forward_through_numpy_is_told_what_it_costs() -> None:
    """A student whose values are right would not learn why the parameters are not."""
    for kind in (layers.InNumPy, layers.GivesAnArray):
        found = verdicts(kind)["parameters"]
        assert "detached-weights" == found.mistake
        assert "NumPy" in found.message
        assert "NumPy" in found.evidence["hint"]


FIRST_WRONG = [
    (layers.QueriesAndKeysSwapped, "projection", True),
    (layers.ScoresTransposed, "scores", True),
    (layers.DotT, "scores", True),
    (layers.NotScaled, "scaling", True),
    (layers.SoftmaxDownTheColumns, "softmax", True),
    (layers.WeightsReturned, "context", True),
    (layers.OddScaling, "scaling", False),
    (layers.OddContext, "context", False),
    (layers.OddProjectionInHalf, "projection", False),
    (layers.RaisesInScores, "scores", False),
]


@pytest.mark.parametrize(
    ("kind", "stage", "named"), FIRST_WRONG, ids=[kind.__name__ for kind, _, _ in FIRST_WRONG]
)
def test_the_first_stage_that_diverges_is_found_within_forward(
    kind: type[nn.Module], stage: str, named: bool
) -> None:
    """A student would be sent to a stage that is right, and mend what is not broken."""
    found = verdicts(kind)
    assert stage == first(found), {s: v.message for s, v in found.items()}
    assert found["parameters"].passed
    if named:
        assert found[stage].mistake or found[stage].evidence.get("alternatives"), found[stage]
    before = STAGES[: STAGES.index(stage)]
    assert [] == [s for s in before if not found[s].passed or found[s].carried]


@pytest.mark.parametrize(
    "kind", [layers.QueriesAndKeysSwapped, layers.ScoresTransposed, layers.NotScaled, layers.OddScaling]
)
def test_what_follows_an_error_is_carried_and_costs_nothing(kind: type[nn.Module]) -> None:
    """A student would pay for one slip in every stage after it."""
    found = verdicts(kind)
    wrong = [stage for stage, verdict in found.items() if not verdict.passed]
    assert [first(found)] == wrong
    after = STAGES[STAGES.index(wrong[0]) + 1 :]
    assert all(found[stage].carried for stage in after)


def test_a_bias_left_on_is_the_projections_error() -> None:
    """A bias would pass, being zero in the judge's own layer, or cost every stage."""
    found = verdicts(layers.WithBias)
    assert "linear-bias-left-on" == found["projection"].mistake


def test_weights_made_anew_in_forward_are_the_parameters_error() -> None:
    """A layer that cannot learn would pass, for its output has the right shape; or all of it would be wrong."""
    found = verdicts(layers.WeightsMadeInForward)
    assert ["parameters"] == [stage for stage, verdict in found.items() if not verdict.passed]
    assert all(found[stage].carried for stage in STAGES[1:])


def test_a_layer_not_written_is_missing_not_wrong() -> None:
    """An empty notebook would be told that it diverges."""
    found = verdicts(layers.NotWritten)
    assert found["parameters"].passed
    assert Verdict.MISSING == found["projection"].verdict
    assert [] == [s for s in STAGES[1:] if found[s].passed]


def test_a_weight_that_is_missing_is_named() -> None:
    """A student would be told of values, where the name of a weight is wrong."""
    found = verdicts(layers.OneMissing)
    assert "W_value" in found["parameters"].message
    assert first(found) == "parameters"
    assert not found["projection"].passed


def test_what_raises_says_where_and_the_rest_is_not_reached() -> None:
    """An error in ``forward`` would be told of every stage, or of the wrong one."""
    found = verdicts(layers.RaisesInScores)
    assert found["projection"].passed
    assert Verdict.RAISED == found["scores"].verdict
    assert "RuntimeError" in found["scores"].message
    assert [Verdict.NOT_REACHED] * 3 == [found[s].verdict for s in ("scaling", "softmax", "context")]


def test_memory_that_runs_out_is_put_down_to_the_stage_that_was_not_reached() -> None:
    """A student would look for the large tensor in the projection, whatever stage makes it."""
    found = verdicts(layers.FillsMemory)
    assert "softmax" == first(found)
    assert Verdict.OUT_OF_MEMORY == found["softmax"].verdict
    assert Verdict.NOT_REACHED == found["context"].verdict


RETURNED = [(layers.ReturnsNothing, "None"), (layers.ReturnsATuple, "returns a tuple of 2")]


@pytest.mark.parametrize(("kind", "said"), RETURNED, ids=[kind.__name__ for kind, _ in RETURNED])
def test_a_forward_right_but_for_what_it_returns_is_wrong_at_the_end(
    kind: type[nn.Module], said: str
) -> None:
    """A missing ``return`` would cost all the stages before it."""
    found = verdicts(kind)
    assert ["context"] == [stage for stage, verdict in found.items() if not verdict.passed]
    assert said in found["context"].message


def test_a_forward_that_spoils_its_input_is_right_and_cannot_be_trained() -> None:
    """The judge would compare with what the layer spoiled; or not see that no gradient gets past it."""
    found = verdicts(layers.ChangesItsInput)
    assert ["parameters"] == [stage for stage, verdict in found.items() if not verdict.passed]


NOT_COMPUTED = [
    (layers.DoesNothing, ["projection", "scores", "scaling", "softmax", "context"]),
    (layers.GivesBackItsInput, ["projection", "scores", "scaling", "softmax", "context"]),
    (layers.GivesZeros, ["projection", "scores", "scaling", "softmax", "context"]),
    (layers.ProjectsOnly, ["scores", "scaling", "softmax", "context"]),
    (layers.GivesTheValues, ["scores", "scaling", "softmax", "context"]),
    (layers.GivesTheScores, ["scaling", "softmax", "context"]),
]


@pytest.mark.parametrize(("kind", "wrong"), NOT_COMPUTED, ids=[kind.__name__ for kind, _ in NOT_COMPUTED])
def test_what_is_not_computed_gets_no_points(kind: type[nn.Module], wrong: list[str]) -> None:
    """An empty ``forward`` would have the points of all the stages before the one that it is said to fail at."""
    found = verdicts(kind)
    assert wrong == [stage for stage, verdict in found.items() if not verdict.passed]


@pytest.mark.parametrize("handed", [layers.Parameters(3, 2), print, None, dict, 3], ids=str)
def test_what_is_no_class_of_modules_is_missing(handed: object) -> None:
    """An instance in place of the class would raise in the judge."""
    for stage in ("parameters", "projection"):
        found = alone("self_attention", stage, handed)
        assert Verdict.MISSING == found.verdict
        assert "class" in found.message


@pytest.mark.parametrize("kind", [layers.NothingAtAll, layers.RaisesWhenLookedAt])
def test_a_strange_class_ends_with_verdicts(kind: type[nn.Module]) -> None:
    """A class that cannot be built, or raises when looked at, would end the conversation."""
    found = verdicts(kind)
    assert not found["parameters"].passed
    assert not found["projection"].passed
    assert all(verdict.message for verdict in found.values())


def test_the_layer_is_asked_once_for_all_its_stages() -> None:
    """Five cells would each wait for the same forward passes."""
    calls = 0

    class Counting(layers.Parameters):
        def forward(self, inputs: Any) -> Any:
            nonlocal calls
            calls += 1
            return super().forward(inputs)

    judge = judge_of("self_attention")
    hand(judge, "projection", Counting)
    once = calls
    for stage in STAGES[2:]:
        hand(judge, stage, Counting)
    assert once == calls


def test_another_class_under_the_same_name_is_asked_anew() -> None:
    """A class written again further down would be judged by the first one."""
    judge = judge_of("self_attention")
    assert not hand(judge, "scaling", layers.NotScaled).passed
    assert hand(judge, "softmax", layers.Parameters).passed
    assert hand(judge, "scaling", layers.Parameters).passed


KEPT = [
    (layers.KeysKept, "projection"),
    (layers.ResultKept, "projection"),
    (layers.WeightsKept, "projection"),
    (layers.WorksOnce, "projection"),
]


@pytest.mark.parametrize(("kind", "stage"), KEPT, ids=[kind.__name__ for kind, _ in KEPT])
def test_a_layer_that_keeps_something_from_its_first_call_is_wrong(kind: type[nn.Module], stage: str) -> None:
    """A layer that gives every later input the answer to its first would pass: each case has another size."""
    found = verdicts(kind)
    assert stage == first_divergence([found[s] for s in STAGES[1:]])
    assert "wrong only in a second call of the same layer" in found[stage].message


RANDOM = [(layers.WithDropout, "context"), (layers.NoisyScores, "scaling")]


@pytest.mark.parametrize(("kind", "stage"), RANDOM, ids=[kind.__name__ for kind, _ in RANDOM])
def test_a_forward_that_draws_random_numbers_is_told_so(kind: type[nn.Module], stage: str) -> None:
    """A student with dropout in ``forward`` would be told of numbers that are off, each time other ones."""
    found = verdicts(kind)
    assert stage == first(found)
    assert "Two calls with the same input give different results" in found[stage].message


def test_a_weight_that_forward_changes_is_named() -> None:
    """A student would be told of a mix-up of matrices where one of them moves."""
    found = verdicts(layers.ChangesW_value)
    assert "value-weights-changed-by-forward" == found["parameters"].mistake
    assert found["projection"].mistake is None


def test_an_error_is_carried_only_by_the_stages_that_it_reaches() -> None:
    """A student whose values are wrong would be told that the scores are off, which never read the values."""
    found = verdicts(layers.ValuesMadeWithW_key)
    assert "values-made-with-W_key" == found["projection"].mistake
    assert ["context"] == [stage for stage, verdict in found.items() if verdict.carried]
