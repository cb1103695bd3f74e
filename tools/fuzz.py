"""Coverage-guided fuzzing of what the trusted side parses, by hand and for as long as one likes.

    .venv/bin/python -m pip install atheris
    .venv/bin/python tools/fuzz.py wire|values|notebooks [options of libFuzzer, such as -max_total_time=600]

A crash is any exception but the one that the parser documents, or an input that takes a second of the processor.
"""

import io
import json
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["stageprobe", "stagegrade", "nbformat"]):
    from stagegrade.autograde._read import UnreadableNotebook, read_notebook
    from stageprobe._codec import decode
    from stageprobe._wire import Channel, DeadlinePassed, WireError

_FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))


def wire(data: bytes) -> None:
    """Frames as they arrive."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(data[: 1 << 16])
        theirs.close()
        channel = Channel(ours)
        try:
            while True:
                channel.receive(deadline=time.monotonic() + 0.5)
        except (WireError, DeadlinePassed):
            return


def values(data: bytes) -> None:
    """A value's description, and the bytes of its tensors."""
    head, _, payload = data.partition(b"\0\0")
    try:
        spec = json.loads(head)
    except (ValueError, RecursionError):
        return
    try:
        decode(spec, payload)
    except WireError:
        return


def notebooks(data: bytes) -> None:
    """A file that was handed in."""
    path = _FOLDER / "a.ipynb"
    path.write_bytes(data)
    try:
        read_notebook(path)
    except UnreadableNotebook:
        return


_TARGETS: dict[str, tuple[Callable[[bytes], None], bytes]] = {
    "wire": (wire, b'\0\0\0\x0d\0\0\0\0\0\0\0\x02{"is":"done"}{}'),
    "values": (values, b'{"t":"tensor","dtype":"float32","shape":[1],"at":0}\0\0\0\0\x80\x3f'),
    "notebooks": (
        notebooks,
        b'{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","source":["a"],"metadata":{}}]}',
    ),
}


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in _TARGETS:
        sys.exit(__doc__)
    target, seed = _TARGETS[sys.argv.pop(1)]
    seeds = _FOLDER / "seeds"
    seeds.mkdir()
    (seeds / "first").write_bytes(seed)

    def quietly(data: bytes) -> None:
        # What nbformat's converters print is of no interest a hundred thousand times over.
        before, sys.stderr = sys.stderr, io.StringIO()
        began = time.process_time()
        try:
            target(data)
        finally:
            sys.stderr = before
        # Not of the clock: the machine may have much else to do.
        assert time.process_time() - began < 1, "it took too long"

    atheris.Setup([*sys.argv, "-timeout=60", "-rss_limit_mb=3000", str(seeds)], quietly)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
