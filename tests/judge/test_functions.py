"""Stages that are functions: right by whatever way, wrong in whatever way, alone and in the chain."""

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from stagegrade.diagnosis import StageVerdict, Verdict, first_divergence
from stagegrade.pipelines import cases
from tests.judge.desk import alone, hand, judge_of

QKV = "query_key_value"


def projection(inputs, W_query, W_key, W_value):
    return inputs[1] @ W_query, inputs @ W_key, inputs @ W_value


def key_index(query, keys):
    return query @ keys[1]


def scores(query, keys):
    return query @ keys.T


def scaling(scores, keys):
    return scores / keys.shape[-1] ** 0.5


def softmax(scaled):
    return torch.softmax(scaled, dim=-1)


def context(weights, values):
    return weights @ values


RIGHT: dict[str, Callable[..., Any]] = {
    "projection": projection,
    "key_index": key_index,
    "scores": scores,
    "scaling": scaling,
    "softmax": softmax,
    "context": context,
}


def scores_in_loops(query, keys):
    found = torch.empty(keys.shape[0])
    for i, key in enumerate(keys):
        found[i] = sum(q * k for q, k in zip(query, key, strict=True))
    return found


def stable_softmax(scaled):
    exponentials = torch.exp(scaled - scaled.max(dim=-1, keepdim=True).values)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def softmax_with_numpy(scaled):
    exponentials = np.exp(scaled.numpy() - scaled.numpy().max())
    return exponentials / exponentials.sum()


def context_in_loops(weights, values):
    total = torch.zeros(values.shape[1])
    for weight, value in zip(weights, values, strict=True):
        total += weight * value
    return total


def projection_as_a_list(inputs, W_query, W_key, W_value):
    return [inputs[1] @ W_query, inputs @ W_key, inputs @ W_value]


class Scale:
    """An object that is called."""

    def __call__(self, scores, keys):
        return scores / math.sqrt(keys.size(-1))


class SoftmaxLayer(torch.nn.Module):
    def forward(self, scaled):
        return torch.nn.functional.softmax(scaled, -1)


def projection_in_other_ways(inputs, W_query, W_key, W_value):
    return (
        torch.einsum("d,dk->k", inputs[1], W_query),
        functional.linear(inputs, W_key.T),
        inputs.matmul(W_value),
    )


def key_index_in_plain_python(query, keys):
    return sum(float(q) * float(k) for q, k in zip(query, keys[1], strict=True))


WAYS: list[tuple[str, str, Callable[..., Any]]] = [
    ("projection", "a list", projection_as_a_list),
    ("projection", "einsum, linear, matmul", projection_in_other_ways),
    ("key_index", "dot", lambda query, keys: torch.dot(query, keys[1])),
    ("key_index", "a float", lambda query, keys: (query * keys[1]).sum().item()),
    ("key_index", "a NumPy number", lambda query, keys: np.float64((query * keys[1]).sum())),
    ("key_index", "plain Python", key_index_in_plain_python),
    ("scores", "loops", scores_in_loops),
    ("scores", "mv", lambda query, keys: torch.mv(keys, query)),
    ("scores", "float64", lambda query, keys: keys.double() @ query.double()),
    ("scores", "NumPy", lambda query, keys: keys.numpy() @ query.numpy()),
    ("scores", "a list of numbers", lambda query, keys: (query @ keys.T).tolist()),
    ("scores", "a tuple of tensors of one number", lambda query, keys: tuple(query @ keys.T)),
    ("scores", "einsum", lambda query, keys: torch.einsum("k,nk->n", query, keys)),
    ("scaling", "an object that is called", Scale()),
    ("scaling", "a power", lambda scores, keys: scores * keys.shape[1] ** -0.5),
    ("scaling", "NumPy's root", lambda scores, keys: scores / np.sqrt(keys.shape[-1])),
    ("softmax", "by hand", stable_softmax),
    ("softmax", "NumPy", softmax_with_numpy),
    ("softmax", "a module", SoftmaxLayer()),
    ("softmax", "float64", lambda scaled: scaled.double().softmax(0)),
    ("softmax", "with a graph", lambda scaled: torch.softmax(scaled.clone().requires_grad_(), dim=-1)),
    ("context", "a loop", context_in_loops),
    ("context", "a weighted sum", lambda weights, values: (weights.unsqueeze(-1) * values).sum(dim=0)),
    ("context", "bmm", lambda weights, values: torch.bmm(weights[None, None], values[None])[0, 0]),
]


@pytest.mark.parametrize(
    ("stage", "way"), [(s, w) for s, _, w in WAYS], ids=[f"{s}, {n}" for s, n, _ in WAYS]
)
def test_right_is_right_however_it_is_written(stage: str, way: Callable[..., Any]) -> None:
    """A student who finds another way to the right values would lose points."""
    verdict = alone(QKV, stage, way)
    assert Verdict.CORRECT == verdict.verdict, verdict.message


def test_every_stage_of_the_chain_is_right() -> None:
    """A whole notebook of right answers would show a divergence, or an error carried from nowhere."""
    judge = judge_of(QKV)
    for stage, function in RIGHT.items():
        verdict = hand(judge, stage, function)
        assert (Verdict.CORRECT, False) == (verdict.verdict, verdict.carried), verdict.message
    assert list(RIGHT) == [verdict.stage for verdict in judge.verdicts]
    assert first_divergence(judge.verdicts) is None


def all_verdicts(**wrong: Callable[..., Any]) -> dict[str, StageVerdict]:
    judge = judge_of(QKV)
    for stage, function in (RIGHT | wrong).items():
        hand(judge, stage, function)
    return {verdict.stage: verdict for verdict in judge.verdicts}


def test_an_error_carried_from_an_earlier_stage_costs_nothing() -> None:
    """A student would pay for one slip in every stage after it."""
    found = all_verdicts(scaling=lambda scores, keys: scores)
    assert {
        "projection": ("correct", False), "key_index": ("correct", False), "scores": ("correct", False),
        "scaling": ("diverges", False), "softmax": ("correct", True), "context": ("correct", True),
    } == {name: (str(v.verdict), v.carried) for name, v in found.items()}  # fmt: skip
    assert "scaling" == first_divergence(list(found.values()))
    assert "not-scaled" == found["scaling"].mistake


def test_two_slips_are_two_slips_and_the_first_is_told_first() -> None:
    """A second error would hide behind the first one, or take its place."""
    found = all_verdicts(
        scores=lambda query, keys: keys @ query * 2, context=lambda weights, values: values.mean(dim=0)
    )
    wrong = [name for name, v in found.items() if not v.passed]
    assert ["scores", "context"] == wrong
    assert "scores" == first_divergence(list(found.values()))
    assert found["softmax"].carried


def test_a_stage_that_ignores_its_argument_carries_nothing() -> None:
    """A stage that gets its values from elsewhere would be told that it carries an error it never read."""
    found = all_verdicts(key_index=lambda query, keys: query @ keys[2])
    assert [("key_index", False)] == [(n, v.passed) for n, v in found.items() if not v.passed or v.carried]


def test_a_later_stage_is_not_asked_with_what_nobody_can_use() -> None:
    """None, text or megabytes from one stage would end the conversation about the next."""
    for odd in (
        None,
        "text",
        object(),
        torch.zeros(1 << 17),
        [torch.zeros(100)] * 20,
        {"a": 1},
        math.nan,
    ):
        found = all_verdicts(scores=lambda query, keys, odd=odd: odd)
        assert ["scores"] == [name for name, v in found.items() if not v.passed]


def raises(query: Tensor, keys: Tensor) -> None:
    raise ValueError("no idea")


def not_written(query: Tensor, keys: Tensor) -> None:
    raise NotImplementedError


class Odd:
    pass


RETURNED: list[tuple[str, Callable[..., Any], str, str]] = [
    ("nothing", lambda query, keys: None, "diverges", "None"),
    ("a tuple", lambda query, keys: (query @ keys.T,), "diverges", "tuple"),
    ("a float", lambda query, keys: float((query @ keys.T).sum()), "diverges", "float"),
    ("text", lambda query, keys: "scores", "diverges", "'scores'"),
    ("an object", lambda query, keys: Odd(), "diverges", "Odd"),
    ("a function", lambda query, keys: (lambda: 0), "diverges", "function"),
    ("a dict", lambda query, keys: {"scores": query @ keys.T}, "diverges", "dict"),
    ("complex numbers", lambda query, keys: (query @ keys.T).to(torch.complex64), "diverges", "complex64"),
    ("bools", lambda query, keys: query @ keys.T > 0, "diverges", "bool"),
    ("whole numbers", lambda query, keys: (query @ keys.T).int(), "diverges", ""),
    ("NaN", lambda query, keys: query @ keys.T * math.nan, "diverges", "NaN"),
    ("infinity", lambda query, keys: query @ keys.T / 0, "diverges", "infinit"),
    ("too many", lambda query, keys: torch.zeros(1 << 20), "diverges", ""),
    ("a sparse tensor", lambda query, keys: (query @ keys.T).to_sparse(), "diverges", "sparse"),
    ("a row", lambda query, keys: (query @ keys.T)[None], "diverges", ""),
    ("a column", lambda query, keys: (query @ keys.T)[:, None], "diverges", ""),
    ("one too few", lambda query, keys: (query @ keys.T)[:-1], "diverges", ""),
    ("the wrong number of arguments", lambda query: query, "raised", "TypeError"),
    ("an error", raises, "raised", "ValueError: no idea"),
    ("not written", not_written, "missing", "not written"),
    ("an exit", lambda query, keys: exec("raise SystemExit(3)"), "raised", "SystemExit"),
    ("a generator", lambda query, keys: (k for k in keys), "diverges", "generator"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "verdict", "said"), [row[1:] for row in RETURNED], ids=[row[0] for row in RETURNED]
)
def test_whatever_is_returned_is_a_verdict_that_says_what_it_was(
    function: Callable[..., Any], verdict: str, said: str
) -> None:
    """Something odd would be called right, stop the run, or be told in words that help nobody."""
    found = alone(QKV, "scores", function)
    assert verdict == found.verdict
    assert said in found.message
    assert 20 < len(found.message) < 1500


@pytest.mark.parametrize(
    "handed",
    [None, 5, torch.ones(3), "scores", [scores]],
    ids=["None", "5", "a tensor", "a string", "a list"],
)
def test_what_is_no_function_is_missing(handed: object) -> None:
    """A name that holds a value would raise in the judge, or be called all the same."""
    found = alone(QKV, "scores", handed)
    assert Verdict.MISSING == found.verdict
    assert "function" in found.message
    assert type(handed).__name__ in found.message


def test_a_tensor_of_whole_numbers_is_wrong_only_where_it_is_off() -> None:
    """An integer buffer truncates; where nothing is lost by it nothing is wrong."""
    assert Verdict.DIVERGES == alone(QKV, "scores", lambda query, keys: (query @ keys.T).long()).verdict


def test_an_input_changed_in_place_is_noted_and_costs_nothing() -> None:
    """A student would not learn of it, or the judge would compare against what it spoiled."""

    def in_place(scores: Tensor, keys: Tensor) -> Any:
        scores /= keys.shape[-1] ** 0.5
        return scores

    found = alone(QKV, "scaling", in_place)
    assert Verdict.CORRECT == found.verdict
    assert "`scores` in place" in found.message
    assert "keys" not in found.evidence["notes"][0]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda keys: keys.zero_(),
        lambda keys: keys.resize_(1),
        lambda keys: keys.t_(),
        lambda keys: setattr(keys, "data", keys.double()),
        lambda keys: keys.requires_grad_(),
        lambda keys: keys.unsqueeze_(0),
    ],
    ids=["zero_", "resize_", "t_", "data", "requires_grad_", "unsqueeze_"],
)
def test_what_a_call_does_to_its_inputs_reaches_no_other_call(spoil: Callable[[Tensor], Any]) -> None:
    """One call would spoil the next one's inputs, or the reference's."""

    def spoiling(scores: Tensor, keys: Tensor) -> Any:
        found = scores / keys.shape[-1] ** 0.5
        spoil(keys)
        return found

    assert Verdict.CORRECT == alone(QKV, "scaling", spoiling).verdict


def test_numpy_is_noted() -> None:
    """A student would not learn what is usual."""
    found = alone(QKV, "softmax", softmax_with_numpy)
    assert "numpy.ndarray" in found.message


def test_printing_and_warnings_are_nothing_to_the_judge(capsys: pytest.CaptureFixture[str]) -> None:
    """A print left in, or a warning of torch's, would cost points or fill the notebook."""

    def chatty(query: Tensor, keys: Tensor) -> Any:
        sys.stdout.write(f"query {query}")
        return query @ keys.T

    assert Verdict.CORRECT == alone(QKV, "scores", chatty).verdict
    assert "" == capsys.readouterr().out


def test_the_worked_example_by_heart_is_found_out() -> None:
    """The one printed result would be full marks."""
    pipeline = judge_of(QKV).pipeline
    known = pipeline.run(cases(pipeline, 7)[0])["scores"]
    found = alone(QKV, "scores", lambda query, keys: known)
    assert Verdict.DIVERGES == found.verdict
    assert found.case is not None
    assert "worked" != found.case["kind"]


def test_a_function_that_remembers_is_asked_with_numbers_it_has_not_seen() -> None:
    """A table of answers from the visible checks would be full marks."""
    seen: list[Tensor] = []

    def first_again(scaled: Tensor) -> Tensor:
        seen.append(torch.softmax(scaled, dim=-1))
        return seen[0]

    assert Verdict.DIVERGES == alone(QKV, "softmax", first_again).verdict


def test_a_function_right_by_halves_is_wrong() -> None:
    """A stage that raises, or fails, on some cases alone would pass by the others."""

    def needs_small(scaled: Tensor) -> Any:
        if scaled.abs().max() > 10:
            raise OverflowError("too large")
        return torch.softmax(scaled, dim=-1)

    found = alone(QKV, "softmax", needs_small)
    assert (Verdict.RAISED, "large") == (found.verdict, (found.case or {}).get("kind"))


def test_verdicts_and_cases_are_the_same_again() -> None:
    """A regrade would ask other cases and might come to another grade."""

    def by_a_literal_root(scores: Tensor, keys: Tensor) -> Tensor:
        return scores / 2**0.5

    one, again, other = (hand(judge_of(QKV, seed), "scaling", by_a_literal_root) for seed in (5, 5, 6))
    assert one == again
    assert one.case != other.case, "neighbours have other cases"


def carried(**functions: Callable[..., Any]) -> list[str]:
    return [name for name, verdict in all_verdicts(**functions).items() if verdict.carried]


def test_what_is_right_in_another_form_is_no_error_to_carry() -> None:
    """Right answers in double precision or NumPy would be told as off where torch does not mix them with floats."""
    assert [] == carried(
        scores=lambda query, keys: keys.double().numpy() @ query.double().numpy(),
        scaling=lambda scores, keys: scores.double() / keys.shape[-1] ** 0.5,
        softmax=lambda scaled: scaled.double().softmax(-1),
    )


def test_an_error_that_nothing_reads_or_that_gave_nothing_is_not_carried() -> None:
    """A right stage would be told that it carries what never reached it."""
    assert [] == carried(key_index=lambda query, keys: query @ keys[2])
    assert [] == carried(scaling=raises)


def test_a_stage_written_again_leaves_nothing_of_the_first_to_carry() -> None:
    """A student who mends a stage further down would still be told of the error."""
    judge = judge_of(QKV)
    assert not hand(judge, "scaling", lambda scores, keys: scores).passed
    assert hand(judge, "softmax", softmax).carried
    assert hand(judge, "scaling", scaling).passed
    assert not hand(judge, "softmax", softmax).carried


def test_a_function_that_draws_random_numbers_is_told_so() -> None:
    """A student would be told of numbers that are off, each time other ones."""
    found = alone(QKV, "softmax", lambda scaled: functional.dropout(torch.softmax(scaled, dim=-1), 0.5))
    assert Verdict.DIVERGES == found.verdict
    assert "Two calls with the same input give different results" in found.message


def test_wrong_numbers_in_a_list_are_told_as_in_a_tensor() -> None:
    """A student would be told of a list, which is no error, in place of the mistake."""
    assert "not-scaled" == alone(QKV, "scaling", lambda scores, keys: scores.tolist()).mistake


FORMS: list[tuple[str, Callable[..., Any], str]] = [
    ("a row", lambda query, keys: (query @ keys.T)[None], "expected shape (1,), yours is shape (1, 1)"),
    ("a dict", lambda query, keys: {"s": query @ keys.T}, "expected a tensor of shape (1,), yours is a dict"),
    (
        "a tuple",
        lambda query, keys: (query @ keys.T,),
        "expected a tensor of shape (1,), yours is a tuple of 1",
    ),
]


@pytest.mark.parametrize(("function", "form"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS])
def test_the_smallest_case_says_the_form_where_that_is_what_differs(
    function: Callable[..., Any], form: str
) -> None:
    """A student would see the same number on both sides, and not what is wrong with it."""
    assert form == alone(QKV, "scores", function).evidence["smallest"]["form"]
