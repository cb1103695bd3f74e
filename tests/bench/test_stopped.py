"""A benchmark that is stopped midway leaves nothing running, and nothing behind."""

import subprocess
import sys
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # comes with ipykernel
import pytest

from tests.commands import BIN, environment

CLUSTER = """
import sys
from pathlib import Path
from stagegrade.bench._cluster import local_cluster
with local_cluster(Path(sys.argv[1]), 1) as cluster:
    print(cluster.address, flush=True)
    input()
"""


def started(*command: str, root: Path, **pipes: int) -> subprocess.Popen[str]:
    own = root / "tmp"
    own.mkdir()
    env = environment(root / "home") | {"TMPDIR": str(own)}
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, text=True, **pipes)  # type: ignore[call-overload,no-any-return]


def test_a_cluster_ends_with_whoever_started_it(tmp_path: Path) -> None:
    """Killed, it could end nothing itself: a worker would hold its memory until somebody noticed."""
    pytest.importorskip("distributed")
    folder = tmp_path / "cluster"
    folder.mkdir()
    process = started(sys.executable, "-c", CLUSTER, str(folder), root=tmp_path, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("tcp://")
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    assert 2 <= len(family)
    assert [] == psutil.wait_procs(family, timeout=20)[1]


def test_terminated_it_ends_in_order(tmp_path: Path) -> None:
    """A batch system ends jobs so: what runs, and two courses on the disk, would be left there."""
    process = started(
        str(BIN / "stagegrade"),
        *("bench", "throughput", "--submissions=20", "--stock=0"),
        root=tmp_path,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    while not process.stderr.readline().startswith("stagegrade autograde"):
        assert process.poll() is None
    own = tmp_path / "tmp"
    while not [*own.glob("warm-*")]:
        time.sleep(0.02)
    family = psutil.Process(process.pid).children(recursive=True)
    process.terminate()
    _, said = process.communicate(timeout=60)
    assert (130, "stagegrade: stopped\n") == (process.returncode, said)
    assert [] == psutil.wait_procs(family, timeout=20)[1]
    assert [] == [*own.glob("stagegrade-*"), *own.glob("warm-*")]
