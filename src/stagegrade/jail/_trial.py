"""Tries every wall for real, from inside, as `stagegrade doctor` does and the tests do."""

import json
import os
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stagegrade.jail import _system
from stagegrade.jail._jail import Ended
from stagegrade.jail._warm import WarmProcess
from stageprobe._limits import Limits
from stageprobe._walls import Walls

_SMALL = Limits(
    memory_bytes=256 << 20, processes=16, scratch_bytes=8 << 20, file_bytes=4 << 20, open_files=64
)

# What code in a notebook would do; each entry is held where it raises, or gives nothing away.
_TRIES = """
import ctypes, json, os, socket
given = json.loads({given!r})
def tried(f):
    try:
        return repr(f())
    except BaseException as error:
        return "held: " + type(error).__name__
def listed():
    found = [n for n in os.listdir("/proc") if n.isdigit() and int(n) not in (1, os.getpid())]
    return found if found else 1 / 0
def connect(kind, address):
    with socket.socket(kind, socket.SOCK_STREAM) as s:
        s.settimeout(2)
        return s.connect(address)
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    if libc.syscall(number, *args) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def privileged():
    os.setuid(0)
    return os.getuid()
print(json.dumps({{
    "files": tried(lambda: open(given["file"]).read()),
    "trusted package": tried(lambda: open(given["trusted"]).read(1)),
    "environment": "held: absent" if given["secret"] not in str(dict(os.environ)) else "seen",
    "writing": tried(lambda: open(given["beside"], "w")),
    "processes": tried(listed),
    "priorities": tried(lambda: os.sched_setaffinity(given["pid"], os.sched_getaffinity(0))),
    "signals": tried(lambda: os.kill(given["pid"], 0)),
    "network": tried(lambda: connect(socket.AF_INET, ("127.0.0.1", given["port"]))),
    "local sockets": tried(lambda: connect(socket.AF_UNIX, "\\0" + given["name"])),
    "privileges": tried(privileged),
    "system calls": tried(lambda: call(given["unshare"], 0x10000000)),
}}))
"""
_MEMORY = "held = []\nwhile True:\n    held.append(bytearray(1 << 20))"
_FORKS = """
import os, time
for _ in range(64):
    if os.fork() == 0:
        time.sleep(60)
time.sleep(5)
"""
_SCRATCH = """
for n in range(8):
    with open(f"f{n}", "wb") as f:
        f.write(bytes(3 << 20))
import time; time.sleep(1)
"""


@dataclass(frozen=True)
class Tried:
    """One wall or bound, and whether it held; ``said`` is what happened where it did not."""

    name: str
    held: bool
    said: str


def try_walls(warm: WarmProcess) -> list[Tried]:
    """Try each wall and bound that submissions are run behind. Raises as ``WarmProcess.fork`` does."""
    return [*_from_inside(warm), *_bounds(warm)]


def _from_inside(warm: WarmProcess) -> Iterator[Tried]:
    secret = os.urandom(8).hex()
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as local,
    ):
        place = Path(folder)
        place.chmod(0o777)
        (place / "secret").write_text(secret, encoding="ascii")
        local.bind(f"\0{secret}")
        local.listen()
        given = {
            "file": str(place / "secret"),
            "beside": str(place / "left"),
            "trusted": str(_system.TRUSTED / "__init__.py"),
            "secret": secret,
            "pid": os.getpid(),
            "port": server.getsockname()[1],
            "name": secret,
            "unshare": 272 if os.uname().machine == "x86_64" else 97,
        }
        os.environ["STAGEGRADE_TRIAL"] = secret
        try:
            jail = warm.fork(place, {})
        finally:
            del os.environ["STAGEGRADE_TRIAL"]
        # The copy that it is given to work beside is its own.
        run = jail.run_cell(_TRIES.format(given=json.dumps(given)), "walls", 30, _no_offers)
        jail.end()
    text = "".join(c.get("text", "") for kind, c in run.output.messages if kind == "stream")
    try:
        found = json.loads(text)
    except ValueError:
        yield Tried("walls", False, f"a cell did not run as it should: {run.ended}, {text[:500]}")
        return
    for name, said in found.items():
        yield Tried(name, str(said).startswith("held"), str(said)[:200])


def _bounds(warm: WarmProcess) -> Iterator[Tried]:
    namespaces = warm.walls == Walls.NAMESPACES
    for name, code, ends in (
        ("memory", _MEMORY, {Ended.OUT_OF_MEMORY, Ended.DIED}),
        ("processes at a time", _FORKS, {Ended.TOO_MANY_PROCESSES}),
        ("scratch", _SCRATCH, set() if namespaces else {Ended.SCRATCH_FULL}),
    ):
        jail = warm.fork(None, {}, _SMALL)
        run = jail.run_cell(code, name, 20, _no_offers)
        jail.end()
        raised = str((run.reply or {}).get("ename", ""))
        held = run.ended in ends or raised in ("MemoryError", "OSError", "BlockingIOError")
        yield Tried(f"bound on {name}", held, f"{run.ended} {raised}".strip())


def _no_offers(header: object, jail: object) -> None:
    raise AssertionError("nothing is handed over here")
