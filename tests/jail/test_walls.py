"""The walls around a submission, tried from inside: as root, as an ordinary user, where namespaces are forbidden."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stagegrade.jail import Walls, WarmProcess, try_walls
from stagegrade.jail._outer import bubblewraps

pytestmark = pytest.mark.timeout(240)

TRY = """
import json, sys
from stagegrade.jail import Walls, WarmProcess, WarmStartError, try_walls
try:
    warm = WarmProcess(walls=Walls(sys.argv[1]) if sys.argv[1] else None)
    tried = [(wall.name, wall.held, wall.said) for wall in try_walls(warm)]
    failed = [found for found in tried if not found[1]]
    print(json.dumps({"walls": warm.walls, "not held": failed, "tried": len(tried)}))
    warm.close()
except WarmStartError as error:
    print(json.dumps({"refused": str(error), "kind": type(error).__name__}))
"""

# A kernel without Landlock, as far as the process under this can tell.
WITHOUT_LANDLOCK = """
import os, struct, sys
from stageprobe import _kernel, _seccomp
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50000 | 38), (0x06, 0, 0, 0x7FFF0000)]
_kernel.refuse_new_privileges()
_seccomp.install(b"".join(struct.pack("HBBI", *step) for step in steps))
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


# A container's runtime that answers EPERM to whoever wants a namespace, a mount or another root.
WITHOUT_NAMESPACES = """
import os, struct, sys
from stageprobe import _kernel, _seccomp
machine = _seccomp._ARCHITECTURES[os.uname().machine]
refused = [_seccomp._REFUSED[name][machine.column] for name in ("unshare", "setns", "mount", "umount2", "pivot_root")]
no, yes = (0x06, 0, 0, 0x50000 | 1), (0x06, 0, 0, 0x7FFF0000)
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, machine.clone3), (0x06, 0, 0, 0x50000 | 38)]
steps += [step for number in refused for step in ((0x15, 0, 1, number), no)]
steps += [(0x15, 0, 2, machine.clone), (0x20, 0, 0, 16), (0x45, 1, 0, 0x7E020000), yes, no]
_kernel.refuse_new_privileges()
_seccomp.install(b"".join(struct.pack("HBBI", *step) for step in steps))
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
DOCTOR = "from stagegrade.apps import main; main()"
TRIED = 14


def trial(*before: str, walls: str = "") -> dict:
    """What a process started through the command ``before`` finds of the walls that it can build."""
    done = subprocess.run(
        [*before, sys.executable, "-c", TRY, walls], capture_output=True, text=True, check=False, cwd="/"
    )
    assert 0 == done.returncode, done.stderr
    return dict(json.loads(done.stdout))


def as_user(*more: str) -> list[str]:
    """A command before which another is run by a user without any right over this machine."""
    return [
        bubblewraps()[0],
        "--unshare-user",
        "--uid",
        "4242",
        "--gid",
        "4242",
        *more,
        "--dev-bind",
        "/",
        "/",
    ]


def test_every_wall_and_bound_holds() -> None:
    """A submission could read the course, reach the network, signal the grader or fill the machine."""
    warm = WarmProcess()
    tried = try_walls(warm)
    assert Walls.NAMESPACES == warm.walls
    assert [] == [wall for wall in tried if not wall.held]
    assert TRIED == len(tried)
    warm.close()


def test_they_hold_for_an_ordinary_user() -> None:
    """Only root could grade, with root's rights at stake."""
    found = trial(*as_user())
    assert {"walls": Walls.NAMESPACES, "not held": [], "tried": TRIED} == found


def test_where_namespaces_are_forbidden_what_remains_holds() -> None:
    """In a container that forbids namespaces nothing could be graded, or anything be read, and doctor not say so."""
    contained = [*as_user(), sys.executable, "-c", WITHOUT_NAMESPACES, "-c", DOCTOR, "doctor"]
    done = subprocess.run(contained, capture_output=True, text=True, check=False, cwd="/")
    walls = next(line for line in done.stdout.splitlines() if "walls: " in line)
    assert walls.startswith("✓ walls: landlock; held: files, "), done.stdout
    assert TRIED == len(walls.split(", "))


def test_without_any_wall_it_is_refused() -> None:
    """Student code would be run with the instructor's rights on a machine that can build no wall."""
    found = trial(*as_user("--disable-userns"), sys.executable, "-c", WITHOUT_LANDLOCK, "-c", TRY, "")
    assert "WallsRefused" == found["kind"]
    assert "--unprotected" in found["refused"]
    assert "namespaces:" in found["refused"]
    assert "landlock:" in found["refused"]


def test_what_is_asked_for_is_not_replaced_by_less() -> None:
    """Somebody who asks for namespaces would get Landlock alone and not know."""
    found = trial(*as_user("--disable-userns"), walls=Walls.NAMESPACES)
    assert "WallsRefused" == found["kind"]


def test_the_walls_do_not_depend_on_the_folder_they_are_built_in(tmp_path: Path) -> None:
    """An environment inside of a course would show the course to its submissions."""
    root = tmp_path / "course"
    root.mkdir()
    tmp_path.chmod(0o755)
    (root / "gradebook.db").write_text("all grades", encoding="utf-8")
    warm = WarmProcess(show=[tmp_path], hide=[root])
    jail = warm.fork(None, {})
    run = jail.run_cell(f"import os; print(os.listdir({str(root)!r}))", "cell", 10, _no_offers)
    jail.end()
    warm.close()
    assert [("stream", {"name": "stdout", "text": "[]\n"})] == run.output.messages


def _no_offers(header: object, jail: object) -> None:
    raise AssertionError("nothing is handed over here")


@pytest.mark.skipif(os.getuid() != 0, reason="a grader that is not root has no root to give up")
def test_a_grader_that_is_root_runs_submissions_as_nobody(tmp_path: Path) -> None:
    """Where a wall fails, root's rights would be what is behind it; and the kernel does not count root's processes."""
    warm = WarmProcess()
    jail = warm.fork(None, {})
    run = jail.run_cell(
        "import subprocess; child = subprocess.Popen(['sleep', '98765'])", "cell", 10, _no_offers
    )
    owners: set[int] = set()
    deadline = time.monotonic() + 5
    while not owners and time.monotonic() < deadline:
        owners = {
            folder.stat().st_uid
            for folder in Path("/proc").glob("[0-9]*")
            if _command_line(folder).startswith(b"sleep\x0098765")
        }
    jail.end()
    warm.close()
    assert run.reply == {"status": "ok", "execution_count": 1}
    assert {64230} == owners


def _command_line(folder: Path) -> bytes:
    try:
        return (folder / "cmdline").read_bytes()
    except OSError:
        return b""
