"""A probe that answers whatever it likes: each stage ends with a verdict, and a record that can be kept."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from stagegrade.diagnosis import StageVerdict, Verdict
from stagegrade.judge import Judge, Offer
from stageprobe._codec import encode
from stageprobe._wire import DeadlinePassed, Frame, PeerGone
from tests.judge.desk import judge_of

MAX_RECORD = 64 << 10


class Puppet:
    """A link whose other end says what a test has it say: a frame for each question, or an error in its place."""

    def __init__(self, say: Callable[[], Frame | Exception]) -> None:
        self._say = say
        self.sent: list[dict[str, Any]] = []
        self.ended = False

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        self.sent.append(header)

    def receive(self, deadline: float) -> Frame:
        said = self._say()
        if isinstance(said, Exception):
            raise said
        return said

    def interrupt(self) -> None:
        self.sent.append({"do": "interrupt"})

    def end(self) -> None:
        self.ended = True


def returned(value: object, **extra: object) -> Frame:
    spec, payload = encode({"value": value, **extra})
    return Frame({"is": "outcome", "came": "returned", "changed": [], "value": spec}, payload)


def hear(judge: Judge, stage: str, form: str, say: Callable[[], Frame | Exception]) -> StageVerdict:
    offer = Offer(stage=f"{judge.pipeline.name}.{stage}", form=form, type_name="function", identity=1)
    return judge.hear(offer, Puppet(say))


TENSORS = st.sampled_from(
    [
        torch.tensor(math.nan), torch.zeros(6), torch.ones(6).to(torch.complex64), torch.ones(6, dtype=torch.bool),
        torch.full((6,), math.inf), torch.ones(6, 6).half(), torch.ones(2, 6, 6).long(), torch.zeros(1 << 12, 0),
        torch.zeros(0), torch.ones((1,) * 8), torch.full((3, 2), 1e308, dtype=torch.float64), torch.ones(6).bfloat16(),
        torch.zeros(1 << 14), torch.full((6,), 200).to(torch.uint8), torch.tensor([1 + 1j]).squeeze(),
    ]
)  # fmt: skip

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63) + 1, (1 << 63) - 1)
    | st.floats()
    | st.text(max_size=30)
    | st.just("x" * 4000)
    | st.builds(object)
)
VALUES = st.recursive(
    TENSORS | PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(
            st.sampled_from(["W_query", "W_key", "W_value", "shape", "registered"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
QUICK = st.sampled_from(
    [
        ("query_key_value", "projection", "callable"),
        ("query_key_value", "key_index", "callable"),
        ("query_key_value", "scores", "callable"),
        ("query_key_value", "softmax", "callable"),
        ("self_attention", "shape_prediction", "callable"),
        ("self_attention", "parameters", "module"),
        ("self_attention", "single_token_check", "callable"),
    ]
)


def check(found: StageVerdict) -> None:
    assert Verdict.CORRECT != found.verdict
    assert found.message
    record = json.dumps({**vars(found)}, allow_nan=False)
    assert len(record) < MAX_RECORD
    record.encode("utf-8")


def any_values(of: tuple[str, str, str], values: list[Any], made: list[Any], unset: Any) -> None:
    pipeline, stage, form = of
    turn = iter(range(10**6))

    def say() -> Frame:
        value = values[next(turn) % len(values)]
        return returned(value, made=made, unset=unset, output=value, repeats=unset)

    check(hear(judge_of(pipeline), stage, form, say))


ODD: list[Any] = [
    "text", (torch.ones(3),), {"W_query": torch.ones(3)}, torch.tensor(math.nan), torch.zeros(6),
    torch.zeros(1 << 12, 0), torch.ones(6, 6).half(), torch.ones(6).to(torch.complex64),
]  # fmt: skip


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_any_value_from_a_layer_ends_with_verdicts(value: Any) -> None:
    """One layer's odd output, or tensor, would be the grader's fault, and a person would have to look at it."""
    odd = [
        torch.tensor(math.nan),
        torch.zeros(6, 3).half(),
        torch.ones(6, 6, dtype=torch.complex64),
        "text",
        value,
    ]
    any_values(("self_attention", "projection", "module"), [value], [], None)
    any_values(("self_attention", "projection", "module"), [value], odd, ["no such weight", "W_query"])


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
HEADERS = st.fixed_dictionaries(
    {"is": st.sampled_from(["outcome", "done", "offer", "stopped"]) | JSON},
    optional={
        "came": st.sampled_from(["returned", "raised", "interrupted"]) | JSON,
        "changed": JSON,
        "value": JSON,
        **dict.fromkeys(("error", "message", "cell", "line", "source", "out_of_memory"), JSON),
    },
)


@settings(max_examples=100, deadline=None)
@given(QUICK, st.lists(HEADERS, min_size=1, max_size=4))
def test_any_headers_at_all_end_with_a_verdict(
    of: tuple[str, str, str], headers: list[dict[str, Any]]
) -> None:
    """A frame that is none of the conversation's would raise what nobody catches."""
    pipeline, stage, form = of
    turn = iter(range(10**6))
    check(hear(judge_of(pipeline), stage, form, lambda: Frame(headers[next(turn) % len(headers)])))


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(["stage", "form", "type", "identity"]), JSON))
def test_any_offer_can_be_read(header: dict[str, Any]) -> None:
    """An offer whose name is a list would raise before anybody could turn it away."""
    offer = Offer.read(header)
    assert max(map(len, (offer.stage, offer.form, offer.type_name))) <= 500


@pytest.mark.parametrize(
    ("pipeline", "stage"), [("query_key_value", "scores"), ("self_attention", "projection")]
)
def test_a_probe_that_is_gone_is_a_stage_that_is_lost(pipeline: str, stage: str) -> None:
    """A process that dies in the middle of a stage would end the run."""
    form = "callable" if stage == "scores" else "module"
    assert Verdict.LOST == hear(judge_of(pipeline), stage, form, lambda: PeerGone("gone")).verdict


def test_a_silent_probe_is_interrupted_then_ended() -> None:
    """A process that does not answer would keep the judge for as many questions as there are."""
    judge = judge_of("query_key_value")
    puppet = Puppet(DeadlinePassed)
    offer = Offer(stage="query_key_value.scores", form="callable", type_name="function", identity=1)
    assert Verdict.TIMED_OUT == judge.hear(offer, puppet).verdict
    assert ["call", "interrupt", "stop"] == [header["do"] for header in puppet.sent]
    assert puppet.ended


def test_what_comes_before_the_word_that_it_stopped_is_void() -> None:
    """An answer that was late would be taken for the answer to another question."""
    said: list[Frame | Exception] = [DeadlinePassed(), returned(1.0), returned(2.0), Frame({"is": "stopped"})]
    frames = iter(said)
    judge = judge_of("query_key_value")
    puppet = Puppet(lambda: next(frames))
    offer = Offer(stage="query_key_value.scores", form="callable", type_name="function", identity=1)
    assert Verdict.TIMED_OUT == judge.hear(offer, puppet).verdict
    assert [] == list(frames)
    assert not puppet.ended, "it goes on to the next stage"
