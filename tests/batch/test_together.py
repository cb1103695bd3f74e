"""On a cluster submissions travel a few at a time, and each fares as if it had travelled alone."""

import os
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from stagegrade.autograde import _cluster_worker
from stagegrade.autograde._batch import _Begun
from stagegrade.autograde._cluster import KEPT_MESSAGES, MOST_TOGETHER, Cluster
from stagegrade.autograde._grader import Submission
from stagegrade.autograde._parcel import Kit, Parcel
from stagegrade.autograde._places import Machine, keep_to_place, places, take_places
from stagegrade.autograde._pool import Lost

distributed = pytest.importorskip("distributed")

ALWAYS, ONCE = "fails-always", "fails-once"


class Bench:
    """Gives back whose submission it was, and fails as that says."""

    tried: ClassVar[Counter[str]] = Counter()
    threads: ClassVar[set[int]] = set()

    def __init__(self, kit: Kit) -> None:
        self.tried.clear()

    def prepare(self) -> None:
        self.threads.add(threading.get_ident())

    def grade(self, parcel: Parcel) -> list[str]:
        self.tried[parcel.student] += 1
        if parcel.student == ALWAYS or (parcel.student == ONCE and self.tried[ONCE] == 1):
            raise ValueError(parcel.student)
        return [parcel.student]

    def clear(self) -> None:
        pass

    def cool(self) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a scheduler with two workers, in this process."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as made:
        yield made.scheduler_address


@pytest.fixture
def kit() -> Kit:
    from traitlets.config import Config

    return Kit(name="together", config=Config(), course_id="", assignment="", sources={}, pipelines=())


def test_a_failure_in_company_is_its_own_alone(
    address: str, kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that fails would take the grades of those that travelled with it, or have them graded twice."""
    monkeypatch.setattr(_cluster_worker, "Bench", Bench)
    sent: list[int] = []
    submit = Cluster._submitted

    def counting(self: Cluster, parcels: list[Parcel]) -> Any:
        sent.append(len(parcels))
        return submit(self, parcels)

    monkeypatch.setattr(Cluster, "_submitted", counting)
    students = [*(f"{number:03}" for number in range(120)), ALWAYS, ONCE]
    # First, where as many travel together as ever do.
    students.sort(key=lambda student: student not in (ALWAYS, ONCE))

    def begin(student: str) -> Submission:
        return Submission(student=student, folder=tmp_path, beside=tmp_path, notebooks=())

    with Cluster(address, kit, 0) as cluster:
        found = list(cluster.run(_Begun(students, begin)))
        kept = cluster._client.scheduler_comm.recent_message_log
    given: dict[str, Any] = {task.student: result for task, result in found}
    assert len(students) == len(found)
    assert given.pop(ALWAYS) == Lost(f"ValueError: {ALWAYS}")
    assert {student: [student] for student in students if student != ALWAYS} == given
    assert dict.fromkeys(students, 1) | {ALWAYS: 2, ONCE: 2} == Bench.tried
    assert MOST_TOGETHER == max(sent)
    assert KEPT_MESSAGES == kept.maxlen, "Dask would keep what was handed in by a thousand"
    assert 2 >= len(Bench.threads), "each thread makes ready anew, for longer than it grades"
    assert [1, 1] == sent[-2:], "at the end no worker has several left while others have none"


def test_a_worker_keeps_to_a_processor_where_there_is_one_for_each() -> None:
    """Two on one processor while another is idle would grade at half the pace."""
    full, half = Machine("full", (0, 1, 4)), Machine("half", (0, 1))
    machines = {"a": full, "b": full, "c": half, "gone": half}
    assert {"a": (0, 1), "b": (4,), "c": (0, 1)} == places(machines, {"a": 2, "b": 1, "c": 1})


def test_only_the_thread_that_grades_keeps_to_its_place() -> None:
    """The worker's other threads, and tasks of other people, would have to share that processor."""
    before = os.sched_getaffinity(0)
    (one, *_) = before
    seen: list[set[int]] = []

    def grade() -> None:
        take_places({"here": [one]})
        keep_to_place("here")
        seen.append(os.sched_getaffinity(0))

    thread = threading.Thread(target=grade)
    thread.start()
    thread.join()
    assert [{one}] == seen
    assert before == os.sched_getaffinity(0)
