"""Values: every kind that a stage may give crosses the wall unchanged, and nothing else does."""

import json
import math
from collections import OrderedDict
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from stageprobe._codec import (
    MAX_DEPTH,
    MAX_ITEMS,
    MAX_TENSOR_BYTES,
    MAX_TEXT,
    Decoded,
    Unsendable,
    decode,
    encode,
)
from stageprobe._wire import MAX_HEADER, MAX_PAYLOAD, WireError


def there_and_back(value: object) -> Decoded:
    spec, payload = encode(value)
    return decode(json.loads(json.dumps(spec)), payload)


def equal(one: Tensor, other: Any) -> bool:
    return (
        isinstance(other, Tensor)
        and (one.dtype, one.shape) == (other.dtype, other.shape)
        and torch.equal(_bytes(one), _bytes(other))
    )


def _bytes(tensor: Tensor) -> Tensor:
    return (
        torch.empty(tensor.numel(), dtype=tensor.dtype).copy_(tensor.detach().reshape(-1)).view(torch.uint8)
    )


DTYPES = [
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
    torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool,
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (3, 4), (2, 0, 3), (1,) * 8], ids=str)
def test_a_tensor_of_every_dtype_and_shape_arrives_bit_by_bit(
    dtype: torch.dtype, shape: tuple[int, ...]
) -> None:
    """A right answer of some dtype or shape would be judged by another tensor."""
    tensor = torch.arange(math.prod(shape)).reshape(shape).to(dtype)
    assert equal(tensor, there_and_back(tensor).value)


SEVEN = torch.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize(
    "tensor",
    [
        pytest.param(SEVEN.T, id="transposed"),
        pytest.param(SEVEN[::2, 1::3], id="a slice"),
        pytest.param(SEVEN[:1, 1:3:2], id="a slice of one entry"),
        pytest.param(SEVEN[0].expand(5, 6), id="expanded"),
        pytest.param(torch.tensor([math.nan, math.inf, -math.inf, -0.0]), id="NaN and infinities"),
        pytest.param(torch.tensor([1e-45, 3.4e38]), id="the smallest and the largest"),
        pytest.param(torch.ones(3, requires_grad=True) * 2, id="with a graph"),
        pytest.param(torch.tensor([1 + 2j]).conj(), id="conjugated lazily"),
        pytest.param(torch.tensor([1 + 2j]).conj().imag, id="negated lazily"),
    ],
)
def test_how_a_tensor_lies_in_memory_does_not_matter(tensor: Tensor) -> None:
    """A right answer that is a view would arrive as another one."""
    expected = tensor.detach().resolve_conj().resolve_neg().clone().contiguous()
    assert equal(expected, there_and_back(tensor).value)


def test_a_parameter_arrives_as_the_tensor_it_is() -> None:
    """A student who returns a weight would be told it is no tensor."""
    parameter = nn.Parameter(torch.ones(2, 3))
    assert equal(torch.ones(2, 3), there_and_back(parameter).value)


@pytest.mark.parametrize(
    ("value", "expected", "was"),
    [
        pytest.param(np.ones((2, 3), np.float32), torch.ones(2, 3), "numpy.ndarray", id="array"),
        pytest.param(np.ones((2, 3))[:, ::-1], torch.ones(2, 3).double(), "numpy.ndarray", id="reversed"),
        pytest.param(np.float64(2.5), torch.tensor(2.5).double(), "numpy.float64", id="float64"),
        pytest.param(np.int32(7), torch.tensor(7, dtype=torch.int32), "numpy.int32", id="int32"),
        pytest.param(np.bool_(True), torch.tensor(True), "numpy.bool", id="bool"),
        pytest.param(np.array(3), torch.tensor(3), "numpy.ndarray", id="0-dim"),
        pytest.param(np.zeros((0, 2)), torch.zeros(0, 2).double(), "numpy.ndarray", id="empty"),
    ],
)
def test_numpy_is_taken_for_a_tensor_and_noted(value: Any, expected: Tensor, was: str) -> None:
    """A student who computes with NumPy would be marked wrong, or would not be told what is usual."""
    decoded = there_and_back(value)
    assert equal(expected, decoded.value)
    assert [was] == decoded.was


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -5,
        (1 << 63) - 1,
        0.1,
        math.inf,
        -0.0,
        5e-324,
        "",
        "√d_k",
        (),
        (1, (2.5, "x"), None),
    ],
    ids=repr,
)
def test_plain_values_arrive_as_they_are(value: object) -> None:
    """A prediction of a shape, or a score as a float, would be judged by another value."""
    decoded = there_and_back(value).value
    assert (type(value), value) == (type(decoded), decoded)
    assert math.copysign(1, value) == math.copysign(1, decoded) if isinstance(value, float) else True


def test_nan_arrives_as_nan() -> None:
    """A score of NaN would end as an error of the grader's."""
    assert math.isnan(there_and_back(math.nan).value)


def test_a_list_is_a_tuple_that_was_a_list() -> None:
    """Brackets in place of parentheses round several results would cost points."""
    decoded = there_and_back([torch.ones(2), [1, 2]])
    assert equal(torch.ones(2), decoded.value[0])
    assert (1, 2) == decoded.value[1]
    assert ["list"] == decoded.was


def test_a_mapping_arrives_in_order() -> None:
    """The questions' arguments, which go by position, would be exchanged."""
    decoded = there_and_back(OrderedDict([("keys", torch.ones(2)), ("a", 1), ("inputs", (2,))])).value
    assert ["keys", "a", "inputs"] == list(decoded)
    assert (1, (2,)) == (decoded["a"], decoded["inputs"])


class Raising:
    """Raises whatever is looked at."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


class RaisingList(list[int]):
    def __iter__(self) -> Any:
        raise ValueError("not to be gone through")


class RaisingInt(int):
    def __abs__(self) -> int:
        raise ValueError("no size")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        pytest.param(object(), "object", id="object"),
        pytest.param(lambda: 0, "function", id="function"),
        pytest.param(nn.Linear, "type", id="class"),
        pytest.param(SimpleNamespace(a=1), "types.SimpleNamespace", id="namespace"),
        pytest.param({1: 2}, "dict", id="a mapping by numbers"),
        pytest.param({1, 2}, "set", id="set"),
        pytest.param(1 + 2j, "complex", id="complex"),
        pytest.param(b"bytes", "bytes", id="bytes"),
        pytest.param(1 << 63, "int of more than 64 bits", id="a long int"),
        pytest.param(iter([1]), "list_iterator", id="iterator"),
        pytest.param(Raising(), "tests.stageprobe.test_codec.Raising", id="raises when looked at"),
        pytest.param(RaisingList([1]), "tests.stageprobe.test_codec.RaisingList", id="raises in a loop"),
        pytest.param(RaisingInt(1), "tests.stageprobe.test_codec.RaisingInt", id="raises in arithmetic"),
        pytest.param(np.array(["a"]), "numpy.ndarray", id="an array of text"),
        pytest.param(np.array([object()]), "numpy.ndarray", id="an array of objects"),
        pytest.param(np.ones(2, ">f4"), "numpy.ndarray", id="an array of foreign byte order"),
        pytest.param(torch.ones(2, device="meta"), "torch.Tensor", id="a tensor without content"),
    ],
)
def test_what_is_no_value_of_a_stage_is_named_by_its_type(value: object, name: str) -> None:
    """A student who returns something odd would not be told what, or would end the conversation."""
    assert Unsendable(name) == there_and_back(value).value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param(torch.eye(3).to_sparse(), "sparse", id="sparse"),
        pytest.param(torch.ones((1,) * 9), "9 dimensions", id="nine dimensions"),
        pytest.param(torch.empty(MAX_TENSOR_BYTES + 1, dtype=torch.uint8), "more than is read", id="large"),
        pytest.param(torch.ones(1).expand(1 << 40), "more than is read", id="large by expansion"),
        pytest.param(torch.ones(2, dtype=torch.uint16), "uint16", id="a dtype of no stage"),
    ],
)
def test_a_tensor_that_is_not_sent_is_described(value: Tensor, said: str) -> None:
    """A student's tensor would be called wrong without a word about what it is."""
    found = there_and_back(value).value
    assert isinstance(found, Unsendable)
    assert said in found.type_name


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = (value,)
    return value


def loop() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(deep(10_000), id="deep"),
        pytest.param(loop(), id="itself within itself"),
        pytest.param(list(range(10**6)), id="long"),
        pytest.param([list(range(1000))] * 1000, id="wide"),
        pytest.param(["x" * 10**6] * 1000, id="much text"),
        pytest.param(["\U0001f600\ud800" * 5000] * 1000, id="text that grows as JSON"),
        pytest.param({f"{n}" * 100: n for n in range(5000)}, id="long keys"),
        pytest.param([np.float64(1)] * 5000, id="many names of types"),
        pytest.param([torch.zeros(1 << 20)] * 100, id="tensors, too much together"),
        pytest.param([torch.zeros((1,) * 8)] * 5000, id="many tensors"),
        pytest.param([torch.empty((1 << 20, 0, 1 << 20))] * 3, id="empty tensors of huge shape"),
    ],
)
def test_whatever_is_returned_fits_a_frame_and_is_read(value: object) -> None:
    """A student who returns too much would end the process and lose the stages that follow."""
    spec, payload = encode(value)
    header = json.dumps({"is": "outcome", "came": "returned", "changed": [], "value": spec})
    assert len(header) < MAX_HEADER
    assert len(payload) <= MAX_PAYLOAD
    decode(json.loads(header)["value"], payload)


def test_depth_and_length_within_the_bounds_are_kept() -> None:
    """The bounds would cut what stages give."""
    assert deep(MAX_DEPTH) == there_and_back(deep(MAX_DEPTH)).value
    many = tuple(range(MAX_ITEMS - 1))
    assert many == there_and_back(many).value
    assert "x" * MAX_TEXT == there_and_back("x" * (MAX_TEXT + 1)).value


TENSOR = {"t": "tensor", "dtype": "float32", "shape": [2], "at": 0}


@pytest.mark.parametrize(
    "spec",
    [
        None,
        [],
        "tensor",
        {},
        {"t": "pickle", "v": "gASV"},
        {"t": "plain"} | {"v": [1]},
        {"t": "plain", "v": 1.5},
        {"t": "plain", "v": 1 << 64},
        {"t": "float", "v": 1.5},
        {"t": "float", "v": "0x" + "f" * 100},
        {"t": "float", "v": "0x1p99999"},
        {"t": "tuple", "v": None},
        {"t": "tuple", "v": [None]},
        {"t": "map", "v": {"a": 1}},
        {"t": "map", "v": [["a"]]},
        {"t": "map", "v": [[1, {"t": "plain", "v": 1}]]},
        {"t": "other"},
        TENSOR | {"dtype": "quint8"},
        TENSOR | {"dtype": ["float32"]},
        TENSOR | {"shape": 2},
        TENSOR | {"shape": [-1]},
        TENSOR | {"shape": [2.0]},
        TENSOR | {"shape": [True]},
        TENSOR | {"shape": [1 << 62, 1 << 62]},
        TENSOR | {"shape": [1] * 9},
        TENSOR | {"shape": [0, *[1 << 25] * 7]},
        TENSOR | {"shape": [3]},
        TENSOR | {"at": 1},
        TENSOR | {"at": -4},
        TENSOR | {"at": True},
        TENSOR | {"at": None},
        TENSOR | {"at": 1 << 80},
    ],
    ids=repr,
)
def test_a_malformed_description_is_refused(spec: object) -> None:
    """Hostile bytes would raise what nobody catches, or be read from outside of the payload."""
    with pytest.raises(WireError):
        decode(spec, bytes(8))


def test_one_piece_of_the_payload_is_not_read_without_end() -> None:
    """A small frame would make the grader fill its memory: many tensors, all of the same bytes."""
    payload = bytes(MAX_TENSOR_BYTES // 2)
    half = {"t": "tensor", "dtype": "uint8", "shape": [len(payload)], "at": 0}
    assert 2 == len(decode({"t": "tuple", "v": [half] * 2}, payload).value)
    with pytest.raises(WireError):
        decode({"t": "tuple", "v": [half] * 3}, payload)


def test_any_byte_but_zero_is_true() -> None:
    """A bool of another byte than 0 and 1 makes torch do what it never promised."""
    spec = {"t": "tensor", "dtype": "bool", "shape": [3], "at": 0}
    assert [False, True, True] == decode(spec, b"\x00\x01\xff").value.tolist()


SPECS = st.recursive(
    st.fixed_dictionaries(
        {
            "t": st.sampled_from(["plain", "float", "other", "tensor", "tuple", "map", "x"]),
            "v": st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("0x1.8p3"),
            "dtype": st.sampled_from(["float32", "bool", "complex128", "no"]),
            "shape": st.lists(st.integers(-1, 4) | st.sampled_from([1 << 30, 1 << 70]), max_size=4)
            | st.none(),
            "at": st.integers(-2, 40) | st.none(),
            "was": st.none() | st.text(max_size=5) | st.integers(),
        }
    ),
    lambda inner: st.fixed_dictionaries(
        {
            "t": st.sampled_from(["tuple", "map"]),
            "v": st.lists(inner | st.tuples(st.text(max_size=3), inner).map(list), max_size=4),
        }
    ),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(SPECS, st.binary(max_size=64))
def test_any_description_is_a_value_or_an_error_of_the_wire(spec: object, payload: bytes) -> None:
    """Some description would raise what nobody catches, and a class's run would stop at it."""
    try:
        decoded = decode(spec, payload)
    except WireError:
        return
    encode(decoded.value)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 62), 1 << 62)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4).map(tuple) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_any_value_within_the_bounds_goes_there_and_back(value: object) -> None:
    """Some value would change on its way."""
    depth = _depth(value)
    decoded = there_and_back(value).value
    if depth <= MAX_DEPTH:
        assert value == decoded


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max((_depth(item) for item in value.values()), default=0)
    if isinstance(value, tuple):
        return 1 + max((_depth(item) for item in value), default=0)
    return 0
