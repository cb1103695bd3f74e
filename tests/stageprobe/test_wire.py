"""Frames: what is sent arrives, and what is no frame is refused without being believed."""

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stageprobe._wire import (
    MAX_HEADER,
    MAX_NESTING,
    MAX_PAYLOAD,
    Channel,
    DeadlinePassed,
    Frame,
    PeerGone,
    WireError,
    json_object,
)

LENGTHS = struct.Struct(">IQ")


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    """A channel, and the bare socket at the other end of it."""
    here, there = socket.socketpair()
    yield Channel(here), there
    here.close()
    there.close()


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def raw(head: bytes, payload: bytes = b"") -> bytes:
    return LENGTHS.pack(len(head), len(payload)) + head + payload


def test_a_frame_arrives_as_it_was_sent(ends: tuple[Channel, socket.socket]) -> None:
    """Judge and probe would not understand each other."""
    channel, other = ends
    Channel(other).send({"is": "offer", "stage": "√d_k", "n": [1, None, 0.5]}, b"\x00\xff" * 10)
    assert Frame({"is": "offer", "stage": "√d_k", "n": [1, None, 0.5]}, b"\x00\xff" * 10) == channel.receive(
        deadline=soon()
    )


def test_frames_keep_their_order_and_their_bounds(ends: tuple[Channel, socket.socket]) -> None:
    """One frame's end would be read as the next one's beginning."""
    channel, other = ends
    writer = Channel(other)
    for number in range(50):
        writer.send({"n": number}, bytes(number))
    assert [Frame({"n": n}, bytes(n)) for n in range(50)] == [channel.receive() for _ in range(50)]


def test_a_payload_of_the_largest_size_arrives(ends: tuple[Channel, socket.socket]) -> None:
    """A bound that is announced would not be kept."""
    channel, other = ends
    sender = threading.Thread(target=Channel(other).send, args=({}, bytes(MAX_PAYLOAD)))
    sender.start()
    assert MAX_PAYLOAD == len(channel.receive(deadline=soon(30)).payload)
    sender.join()


def test_what_arrives_in_pieces_is_put_together_over_deadlines(ends: tuple[Channel, socket.socket]) -> None:
    """A slow process would lose what it had sent of a frame when a deadline passed in the middle."""
    channel, other = ends
    whole = raw(b'{"is": "outcome"}', b"payload")
    for at in range(len(whole)):
        other.send(whole[at : at + 1])
        if at < len(whole) - 1:
            with pytest.raises(DeadlinePassed):
                channel.receive(deadline=soon(0.001))
    assert Frame({"is": "outcome"}, b"payload") == channel.receive(deadline=soon())


def test_a_deadline_in_the_past_is_passed(ends: tuple[Channel, socket.socket]) -> None:
    """A process that sends without end would hold its judge for ever."""
    channel, other = ends
    other.send(raw(b"{}"))
    with pytest.raises(DeadlinePassed):
        channel.receive(deadline=soon(-1))


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(LENGTHS.pack(MAX_HEADER + 1, 0), id="a header over the bound"),
        pytest.param(LENGTHS.pack(2, MAX_PAYLOAD + 1), id="a payload over the bound"),
        pytest.param(LENGTHS.pack(2**32 - 1, 2**64 - 1), id="the largest lengths there are"),
        pytest.param(raw(b""), id="no header"),
        pytest.param(raw(b"[]"), id="a header that is a list"),
        pytest.param(raw(b"null"), id="a header that is null"),
        pytest.param(raw(b"{"), id="a header cut short"),
        pytest.param(raw(b"\xff\xfe{\x00}\x00"), id="a header in UTF-16"),
        pytest.param(raw(b'{"a": NaN}'), id="NaN, which is not JSON"),
        pytest.param(raw(b'{"a": ' + b"9" * 5000 + b"}"), id="a number too long to read"),
        pytest.param(raw(b'{"a":' * 100_000 + b"1" + b"}" * 100_000), id="deeper than the parser goes"),
        pytest.param(raw(b'{"a":' * 100 + b"1" + b"}" * 100), id="deeper than a value goes"),
    ],
)
def test_what_is_no_frame_is_refused(sent: bytes, ends: tuple[Channel, socket.socket]) -> None:
    """Hostile bytes would end the grader's run, or take its memory."""
    channel, other = ends
    sender = threading.Thread(target=other.sendall, args=(sent,))
    sender.start()
    with pytest.raises(WireError):
        channel.receive(deadline=soon())
    sender.join()


def test_a_frame_cut_off_by_the_end_is_the_end(ends: tuple[Channel, socket.socket]) -> None:
    """A process that died while it sent would be waited for."""
    channel, other = ends
    other.sendall(raw(b'{"a": 1}', b"xyz")[:-1])
    other.close()
    with pytest.raises(PeerGone):
        channel.receive(deadline=soon())


def test_sending_over_the_bound_is_refused_before_anything_is_sent(
    ends: tuple[Channel, socket.socket],
) -> None:
    """The other side would end the process for a frame that it cannot take."""
    channel, other = ends
    with pytest.raises(WireError):
        channel.send({"text": "x" * MAX_HEADER})
    with pytest.raises(WireError):
        channel.send({}, bytes(MAX_PAYLOAD + 1))
    other.setblocking(False)
    with pytest.raises(BlockingIOError):
        other.recv(1)


def test_sending_to_one_who_does_not_read_ends_at_the_deadline(ends: tuple[Channel, socket.socket]) -> None:
    """A process that stops reading would stop its judge."""
    channel, _ = ends
    with pytest.raises(DeadlinePassed):
        channel.send({}, bytes(8 << 20), deadline=soon(0.05))


def test_sending_to_one_who_is_gone_says_so(ends: tuple[Channel, socket.socket]) -> None:
    """A dead process would look like a fault of the grader's own."""
    channel, other = ends
    other.close()
    with pytest.raises(PeerGone):
        channel.send({}, bytes(1 << 20))


def test_frames_of_several_threads_do_not_mix(ends: tuple[Channel, socket.socket]) -> None:
    """A thread that prints while a cell answers would break the line."""
    channel, other = ends
    writer = Channel(other)

    def send(number: int) -> None:
        for _ in range(50):
            writer.send({"n": number}, bytes([number]) * 3000)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        frame = channel.receive(deadline=soon())
        assert bytes([frame.header["n"]]) * 3000 == frame.payload
    for thread in threads:
        thread.join()


def test_text_that_no_file_can_hold_is_made_writable() -> None:
    """A student who prints half of a surrogate pair would keep the graded notebook from being written."""
    found = json_object(rb'{"\ud800": ["a\udfffb", {"k": "\ud83d\ude00"}]}')
    assert {"?": ["a?b", {"k": "😀"}]} == found


def test_nesting_is_bounded_where_many_brackets_are_shallow() -> None:
    """A long list would be taken for a deep one, or a deep one for a long one."""
    wide = {"list": [[n] for n in range(MAX_NESTING * 10)]}
    assert wide == json_object(json.dumps(wide).encode())
    with pytest.raises(WireError):
        json_object(b'{"a":' + b"[" * (MAX_NESTING + 1) + b"]" * (MAX_NESTING + 1) + b"}")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_at_all_are_a_frame_or_an_error_of_the_wire(sent: bytes) -> None:
    """Some bytes would raise what nobody catches, and a class's run would stop at them."""
    here, there = socket.socketpair()
    with here, there:
        there.sendall(sent)
        there.close()
        try:
            frame = Channel(here).receive(deadline=soon())
        except WireError:
            return
        assert isinstance(frame.header, dict)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(), JSON, max_size=5), st.binary(max_size=100))
def test_any_header_and_payload_go_there_and_back(header: dict[str, object], payload: bytes) -> None:
    """Some value would change on its way."""
    here, there = socket.socketpair()
    with here, there:
        Channel(there).send(header, payload)
        assert Frame(header, payload) == Channel(here).receive(deadline=soon())
