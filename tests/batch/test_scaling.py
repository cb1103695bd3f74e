"""docs/scaling.md as it is shown: its scheduler, its worker and its jobs of SLURM, here all on this machine."""

import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests import notebooks
from tests.batch.conftest import ASSIGNMENT, SOURCE, submitted
from tests.commands import BIN
from tests.documents import be_somebody, blocks, to_run, to_run_of_text
from tools.commands import run as run_here

pytest.importorskip("dask_jobqueue")
pytestmark = pytest.mark.timeout(300)

PAGE = "docs/scaling.md"
STUDENTS = ("all-right", "keys-two")
# The machines of the page, and what stands there for as many workers as a node has processors.
FIRST, SECOND, FORWARDED = "tcp://10.0.0.5:8786", "tcp://10.0.0.6:8786", "tcp://127.0.0.1:8786"
A_NODE = ["--nworkers", "16"]

# In place of a queue: the job is kept, and numbered as sbatch does.
SBATCH = '#!/bin/sh\ncp "$1" "$(mktemp "$JOBS/XXXXXX")"\necho "Submitted batch job 17"\n'
SCANCEL = "#!/bin/sh\n"


@pytest.fixture
def start(tmp_path: Path, env: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a process that is ended after the test, with all that it has started."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str, **variables: str) -> subprocess.Popen[str]:
        with (tmp_path / f"{len(started)}.log").open("w") as log:
            process = subprocess.Popen(
                words,
                cwd=tmp_path,
                env=env | variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        started.append(process)
        return process

    yield begin
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def until(holds: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def one_worker(words: list[str]) -> list[str]:
    """The command of a worker, with one where the page has as many as a node has processors."""
    at = words.index(A_NODE[0])
    assert A_NODE == words[at : at + 2]
    return [*words[: at + 1], "1", *words[at + 2 :], "--no-dashboard"]


def test_one_machine_a_cluster_and_parts_of_a_class_grade_as_shown(
    start: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whoever sets up a cluster by the page would be left with workers that nobody asks, or a class half graded."""
    be_somebody(monkeypatch, tmp_path / "home")
    course = _small_class(tmp_path / "course")
    slurm, cluster = _jobs_of_slurm(start, tmp_path)
    addresses = {SECOND: slurm}
    known = tmp_path / "scheduler.json"
    graded = 0
    for words in [*to_run(PAGE), *to_run_of_text(PAGE)]:
        if words[:2] == ["dask", "scheduler"]:
            options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(known))
            start(str(BIN / words[0]), *words[1:], *options)
            until(lambda: known.exists() and known.read_text().endswith("}"), "no scheduler")
            addresses[FIRST] = addresses[FORWARDED] = json.loads(known.read_text())["address"]
            continue
        there = [addresses.get(word, word) for word in words]
        if words[:2] == ["dask", "worker"]:
            start(str(BIN / there[0]), *one_worker(there)[1:])
            continue
        if "--dask" in words:
            _hand_in_anew(course, graded)
        assert 0 == run_here(course, *there), (words, capsys.readouterr().err)
        said = capsys.readouterr().err
        whose = [name for name in STUDENTS if "--student" not in words or (name[0] == "a") == ("a*" in words)]
        graded += len(whose)
        expected = 0 if "--jobs" in words else len(whose)
        assert f"{expected} graded in" in said, words
    assert cluster.stdin is not None
    cluster.stdin.write("\n")
    cluster.stdin.flush()
    assert 0 == cluster.wait(60), "Enter ends the cluster"


def _small_class(course: Path) -> Path:
    assert 0 == run_here(course.parent, "stagegrade", "new", course.name)
    assert 0 == run_here(course, "nbgrader", "generate_assignment", ASSIGNMENT)
    right = notebooks.solutions(SOURCE)
    key = "solution-key_index"
    for student, cells in zip(
        STUDENTS, (right, right | {key: right[key].replace("keys[1]", "keys[2]")}), strict=True
    ):
        made = notebooks.filled(course / f"release/{ASSIGNMENT}/{ASSIGNMENT}.ipynb", cells)
        notebooks.write(submitted(course, student), made)
    return course


def _hand_in_anew(course: Path, what: int) -> None:
    for student in STUDENTS:
        (submitted(course, student).parent / "notes.txt").write_text(f"{what}")


def _jobs_of_slurm(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> tuple[str, subprocess.Popen[str]]:
    """Run the page's lines for SLURM, and start one worker as its jobs would; gives the scheduler's address."""
    programs, jobs = tmp_path / "bin", tmp_path / "jobs"
    programs.mkdir()
    jobs.mkdir()
    for name, text in {"sbatch": SBATCH, "scancel": SCANCEL}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(stat.S_IRWXU)
    (snippet,) = blocks(PAGE, "python")
    path = os.pathsep.join([str(programs), str(BIN), os.environ["PATH"]])
    cluster = start(sys.executable, "-c", snippet, PATH=path, JOBS=str(jobs), PYTHONUNBUFFERED="1")
    assert cluster.stdout is not None
    address = cluster.stdout.readline().strip()
    assert address.startswith("tcp://"), (tmp_path / "0.log").read_text()
    until(lambda: 8 == len([job for job in jobs.iterdir() if address in job.read_text()]), "not eight jobs")
    job = next(jobs.iterdir()).read_text()
    assert {"#SBATCH --cpus-per-task=16", "#SBATCH -t 01:00:00"} <= set(job.splitlines())
    (worker,) = [shlex.split(line) for line in job.splitlines() if "dask_worker" in line]
    assert "1" == worker[worker.index("--nthreads") + 1], "each worker has one thread"
    start(*one_worker(worker))
    return address, cluster
