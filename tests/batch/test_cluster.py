"""A cluster grades as one machine does: with real schedulers and workers, which share no files with the gradebook."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stagegrade.autograde import ClusterRefused, _cluster
from stagegrade.autograde._cluster import Cluster
from stagegrade.autograde._fitness import unfit
from stagegrade.autograde._parcel import Kit
from tests.batch import gradebooks
from tests.batch.conftest import ASSIGNMENT
from tests.commands import BIN

pytest.importorskip("distributed")
pytestmark = pytest.mark.timeout(600)

NETWORK = "10.213.77"


@dataclass
class Hosts:
    """The gradebook's and the workers' machine: network namespaces with a wire between them, where those may be made.

    ``alone`` says why there is one machine only.
    """

    gradebooks: Sequence[str] = ()
    workers: Sequence[str] = ()
    address: str = "127.0.0.1"
    alone: str = ""
    started: list[subprocess.Popen] = field(default_factory=list)

    def start(self, host, *command, log, env) -> subprocess.Popen:
        with log.open("wb") as said:
            process = subprocess.Popen(
                [*host, sys.executable, "-m", "dask", *map(str, command)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                cwd="/",
                env=env,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def end(self) -> None:
        for process in self.started:
            kill(process)


def kill(process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def ip(*words) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    here, there = f"sg-book-{os.getpid()}", f"sg-work-{os.getpid()}"
    try:
        if shutil.which("ip") is None:
            raise OSError("there is no program ip")
        for name in (here, there):
            ip("netns", "add", name)
        ip("link", "add", "sg0", "netns", here, "type", "veth", "peer", "name", "sg1", "netns", there)
        for name, link, number in ((here, "sg0", 1), (there, "sg1", 2)):
            ip("-n", name, "address", "add", f"{NETWORK}.{number}/24", "dev", link)
            for up in (link, "lo"):
                ip("-n", name, "link", "set", up, "up")
        found = Hosts(("ip", "netns", "exec", here), ("ip", "netns", "exec", there), address=f"{NETWORK}.1")
    except (OSError, subprocess.CalledProcessError) as error:
        said = str(getattr(error, "stderr", None) or error).strip()
        found = Hosts(alone=f"network namespaces may not be made here: {said}")
    yield found
    found.end()
    for name in (here, there):
        subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


@pytest.fixture(scope="module")
def scheduler(hosts, tmp_path_factory, env) -> str:
    folder = tmp_path_factory.mktemp("scheduler")
    known = folder / "scheduler.json"
    options = ("--host", hosts.address, "--port", "0", "--no-dashboard", "--scheduler-file", known)
    hosts.start(hosts.gradebooks, "scheduler", *options, log=folder / "log", env=env)
    for _ in range(600):
        if known.exists() and known.read_text().endswith("}"):
            return str(json.loads(known.read_text())["address"])
        time.sleep(0.1)
    raise AssertionError((folder / "log").read_text())


@pytest.fixture
def worker(hosts, scheduler, tmp_path_factory, env):
    """Starts a worker that sees nothing of any course's folder, and ends it after the test."""
    started = []
    hidden = tmp_path_factory.getbasetemp()

    def start(**variables) -> subprocess.Popen:
        host = list(hosts.workers)
        if host:
            host += ["sh", "-c", f'mount -t tmpfs none "{hidden}" && exec "$@"', "sh"]
        log = tmp_path_factory.mktemp("worker") / "log"
        options = (scheduler, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        process: subprocess.Popen = hosts.start(host, "worker", *options, log=log, env=env | variables)
        started.append(process)
        return process

    yield start
    for process in started:
        kill(process)


def autograde(hosts, course, env, *options) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*hosts.gradebooks, str(BIN / "stagegrade"), "autograde", ASSIGNMENT, *options],
        cwd=course,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_lost_worker_costs_no_submission(hosts, scheduler, worker, course, env, undisturbed):
    """One of two workers is killed at its work: all is graded, each once, and equal to one machine's grades."""
    lost = worker()
    worker()
    process = autograde(hosts, course, env, "--dask", scheduler, "--verbose")
    assert process.stderr is not None
    told = [process.stderr.readline() for _ in range(3)]
    kill(lost)
    _, said = process.communicate(timeout=300)
    told += said.splitlines()
    assert 1 == process.returncode, told
    students = sorted(path.name for path in (course / "submitted").iterdir())
    points = [re.match(r"(\S+): [\d.]+ of \d", line) for line in told]
    lines = Counter(found[1] for found in points if found)
    assert dict.fromkeys(students, 1) == {student: lines[student] for student in students}
    assert gradebooks.rows(gradebooks.url(undisturbed)) == gradebooks.rows(gradebooks.url(course))
    assert gradebooks.files(undisturbed / "autograded") == gradebooks.files(course / "autograded")


def test_two_hosts_share_nothing_but_a_wire(hosts, scheduler, worker, course, env, tmp_path):
    """A worker on another machine has the course's own pipeline, and grades by it."""
    if hosts.alone:
        pytest.skip(hosts.alone)
    (course / "pipelines").mkdir(exist_ok=True)
    (course / "pipelines" / f"{ASSIGNMENT}.py").write_text(
        f"from stagegrade.pipelines.assignments import {ASSIGNMENT} as ours\nPIPELINE = ours.PIPELINE\n"
    )
    worker()
    process = autograde(hosts, course, env, "--dask", scheduler, "--student", "keys-two-0", "--json")
    out, said = process.communicate(timeout=300)
    assert 0 == process.returncode, said
    (found,) = json.loads(out)["submissions"]
    assert (11.0, "key_index") == (
        found["notebooks"][0]["score"],
        found["notebooks"][0]["first_divergence"],
    )


def test_a_worker_keeps_nothing_of_a_run_that_was_stopped(hosts, scheduler, worker, course, env):
    """A cluster is shared: a course's pipelines would stay there for whoever comes next, for weeks."""
    temporary = Path("/tmp") / f"workers-own-{os.getpid()}"
    temporary.mkdir()
    try:
        worker(TMPDIR=str(temporary))
        for how, status in ((signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)):
            process = autograde(hosts, course, env, "--dask", scheduler, "--verbose", "--force")
            assert process.stderr is not None
            assert process.stderr.readline()
            assert kept(temporary), "its own folder is seen there while it works"
            process.send_signal(how)
            _, said = process.communicate(timeout=60)
            assert status == process.returncode, said
            deadline = time.monotonic() + 20
            while kept(temporary) and time.monotonic() < deadline:
                time.sleep(0.05)
            assert [] == kept(temporary)
    finally:
        shutil.rmtree(temporary)


def kept(temporary: Path) -> list[str]:
    """What a course or its warm process has there."""
    return [path.name for path in temporary.iterdir() if path.name.startswith(("stagegrade-", "warm-"))]


def test_a_worker_with_other_versions_is_refused_by_name(hosts, scheduler, worker, course, env, tmp_path):
    """Grades that hang on where a submission happened to be graded are nobody's."""
    other = Path("/tmp") / f"other-versions-{os.getpid()}"
    folder = other / "nbgrader-0.8.0.dist-info"
    folder.mkdir(parents=True)
    try:
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: nbgrader\nVersion: 0.8.0\n")
        worker(PYTHONPATH=str(other))
        process = autograde(hosts, course, env, "--dask", scheduler)
        _, said = process.communicate(timeout=300)
    finally:
        shutil.rmtree(other)
    assert 2 == process.returncode
    assert "the worker at tcp://" in said
    assert "has nbgrader 0.8.0" in said
    assert not (course / "autograded").exists()


def test_versions_may_differ_where_grades_do_not():
    def side(python="3.11.7.final.0", torch="2.6.0+cpu"):
        return {
            "host": {"python": python},
            "packages": {"stagegrade": "1", "nbgrader": "0.9.6", "torch": torch},
        }

    same = {"tcp://a:1": side(python="3.11.9.final.0", torch="2.6.0+cu124")}
    assert [] == unfit(side(), same)
    (said,) = unfit(side(), {"tcp://a:1": side(), "tcp://b:2": side(python="3.12.1.final.0", torch="")})
    assert "tcp://b:2 has python 3.12, torch missing" in said
    assert "python 3.11, torch 2.6.0" in said


@pytest.fixture
def kit() -> Kit:
    from traitlets.config import Config

    return Kit(name="x", config=Config(), course_id="", assignment=ASSIGNMENT, sources={}, pipelines=())


def test_without_the_extra_it_is_said_what_to_install(kit, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterRefused, match=r"pip install 'stagegrade\[cluster\]'"):
        Cluster("tcp://127.0.0.1:9", kit, 0)


def test_a_scheduler_that_does_not_answer_is_named(kit, monkeypatch):
    monkeypatch.setattr(_cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterRefused, match=r"no Dask scheduler answers at tcp://127.0.0.1:9"):
        Cluster("tcp://127.0.0.1:9", kit, 0)
