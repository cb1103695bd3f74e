"""Counts what the attacks of tests/attacks do to stock nbgrader, and writes the table in docs/security.md.

    .venv/bin/python tools/attacks.py [--again PATTERN]     run those that were never run, then write the table
    .venv/bin/python tools/attacks.py --table               write the table only

Stock nbgrader runs them with the rights of whoever grades. So that they do nothing here it is put behind
bubblewrap's walls, without a network, with a course, a home and secrets of its own, one submission at a time, after
what else there is to do. What it may use is bounded, and watched from outside: who passes a bound is ended at once
with all its processes, and counts as having taken what was put around stock. What came of each is kept in
tests/attacks/stock.json. stagegrade's half is what tests/attacks holds it to.
"""

import argparse
import fnmatch
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import psutil  # type: ignore[import-untyped]  # comes with ipykernel
from nbgrader.api import Gradebook, MissingEntry
from sqlalchemy.exc import SQLAlchemyError

from stagegrade.jail._outer import bubblewraps
from stageprobe._kept import _size
from tests.attacks.acting import acting_in
from tests.attacks.corpus import ASSIGNMENT, NAME, Attack, attacks, solved, source

HERE = Path(__file__).resolve().parents[1]
RESULTS = HERE / "tests" / "attacks" / "stock.json"
PAGE = HERE / "docs" / "security.md"
BEGIN, END = "<!-- attacks: written by tools/attacks.py -->", "<!-- attacks: end -->"

SECRET = "SECRET-5f1d"
WITHIN, PORT = Path("/srv/course"), 31338
SECONDS = 60.0
MOST_THREADS, MOST_MEMORY, MOST_DISK = 72, 2 << 30, 200 << 20
"""What ends a run. The kernel's own bounds lie a little above."""
MOST_LOAD = 8.0
"""By how much a run may raise the load of the machine."""
GENTLE = ("asserts", "outputs", "probe")
UNQUIET = (
    "probe-stops_itself",
    "probe-judge_interrupted",
    "probe-interrupted_for_ever",
    "asserts-exit_in_a_test",
)
CONFIG = f"""
c = get_config()
c.CourseDirectory.course_id = "attacked"  # {SECRET}
c.Execute.timeout = 5
"""
# A server and a local socket that whoever reaches them is told the secret by; then nbgrader; then what it left.
WRAPPER = f"""
import glob, os, socket, subprocess, sys, threading
server = socket.create_server(("127.0.0.1", {PORT}))
local = socket.socket(socket.AF_UNIX)
local.bind("\\0{SECRET}-socket-{PORT}")
local.listen()
def tell():
    while True:
        with server.accept()[0] as line: line.sendall(b"{SECRET}")
threading.Thread(target=tell, daemon=True).start()
done = subprocess.run([sys.executable, "-m", "nbgrader", *sys.argv[1:]])
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        if open(path, "rb").read().startswith(b"sleep\\x0031337"): print("\\nA PROCESS IS LEFT")
    except OSError: pass
sys.exit(done.returncode)
"""

# What may come of an attack, and what the table says of it.
HEADS = {
    "points": "points gained",
    "read": "got in or read",
    "left": "left something",
    "acts": "acts in feedback",
    "bounds": "took all it could",
    "ungraded": "no grade",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--again", help="names of attacks to run once more, such as 'resources-*'")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    results = read_results()
    corpus = attacks(solved(source(stock=True), ()), WITHIN, PORT)
    if not given.table:
        with tempfile.TemporaryDirectory() as made:
            template = Path(made)
            _new_course(template)
            wanted = [
                a for a in corpus if a.student not in results or fnmatch.fnmatch(a.student, given.again or "")
            ]
            for batch in _batches(wanted):
                for student, came in _against_stock(batch, template):
                    results[student] = came
                    print(student, *came, file=sys.stderr, flush=True)
                RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{table(corpus, results)}{END}{after}", encoding="utf-8")


def read_results() -> dict[str, list[str]]:
    """What came of each attack against stock nbgrader: keys of ``HEADS``; none where it gave nothing."""
    return dict(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else {}


def table(corpus: list[Attack], results: dict[str, list[str]]) -> str:
    """The table as Markdown, a row a family. stagegrade holds against all that the tests are run with."""
    rows = [["family", "attacks", *HEADS.values(), "stock nbgrader held", "stagegrade held"]]
    for family in [*dict.fromkeys(a.family for a in corpus), "all"]:
        came = [results[a.student] for a in corpus if family in (a.family, "all")]
        counts = [sum(what in c for c in came) for what in HEADS]
        rows.append([family, *map(str, (len(came), *counts, sum(not c for c in came), len(came)))])
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _batches(wanted: list[Attack]) -> Iterator[list[Attack]]:
    """One at a time, but for those that do nothing to anybody else: of these a few, in one run of nbgrader's."""
    gentle = [a for a in wanted if a.family in GENTLE and a.student not in UNQUIET]
    yield from ([a] for a in wanted if a not in gentle)
    yield from (gentle[first : first + 8] for first in range(0, len(gentle), 8))


def _new_course(place: Path) -> None:
    """A course as stock nbgrader has it, with one honest submission, in ``place`` / course."""
    for folder in ("course", "home", "tmp"):
        (place / folder).mkdir()
    course = place / "course"
    notebook = source(stock=True)
    (place / "home" / "secret.txt").write_text(SECRET, encoding="utf-8")
    (course / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    (course / "source" / ASSIGNMENT).mkdir(parents=True)
    (course / "source" / ASSIGNMENT / NAME).write_text(json.dumps(notebook), encoding="utf-8")
    other = course / "submitted" / "honest-right" / ASSIGNMENT
    other.mkdir(parents=True)
    (other / NAME).write_text(json.dumps(solved(notebook)), encoding="utf-8")
    ended, said = _run(place, "generate_assignment", ASSIGNMENT, "--create")
    if ended != "done" or not (course / "release" / ASSIGNMENT / NAME).exists():
        sys.exit(f"No release could be made ({ended}):\n{said}")


def _against_stock(batch: list[Attack], template: Path) -> Iterator[tuple[str, list[str]]]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        place = Path(made) / "place"
        shutil.copytree(template, place)
        course = place / "course"
        shutil.rmtree(course / "submitted")
        for attack in batch:
            folder = course / "submitted" / attack.student / ASSIGNMENT
            folder.mkdir(parents=True)
            attack.hand_in(folder)
        other = course / "submitted" / "honest-right"
        shutil.copytree(template / "course" / "submitted" / other.name, other)
        before = set(_files(place))
        only = ["--student", batch[0].student] if len(batch) == 1 else []
        ended, said = _run(place, "autograde", ASSIGNMENT, *only)
        paths = {path for path in set(_files(place)) ^ before if "/autograded/" not in path}
        left = "A PROCESS IS LEFT" in said or any("pwned" in path for path in paths) or _spoilt(course)
        scores = [_score(course, attack.student) for attack in batch]
        if any(a.family in ("outputs", "metadata") for a in batch) and None not in scores:
            _run(place, "generate_feedback", ASSIGNMENT, *only)
        if len(batch) > 1 and (left or ended != "done" or None in scores):
            # Whose doing it was shows where each is alone.
            for attack in batch:
                yield from _against_stock([attack], template)
            return
        for attack, score in zip(batch, scores, strict=True):
            pages = (course / "feedback" / attack.student).glob("*/*.html")
            came = {
                "points": bool(score),
                "read": _got_in(course, attack.student),
                "left": left,
                "acts": any(acting_in(page.read_text(encoding="utf-8")) for page in pages),
                "bounds": ended == "bounds",
                "ungraded": ended == "late" or (ended == "done" and score is None),
            }
            yield attack.student, [what for what, so in came.items() if so]


def _run(place: Path, *arguments: str) -> tuple[str, str]:
    """Run nbgrader behind walls, in a course within them: whether it is ``done``, ``late``, or past its ``bounds``;
    and what it said."""
    walls = [
        bubblewraps()[0], "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/",
        "--proc", "/proc", "--dev", "/dev", "--size", str(64 << 20), "--tmpfs", "/dev/shm", "--tmpfs", "/run",
        "--tmpfs", "/srv", "--tmpfs", str(HERE.parent), "--ro-bind", str(HERE), str(HERE),
        "--bind", str(place / "tmp"), "/tmp", "--bind", str(place / "course"), str(WITHIN),
        "--bind", str(place / "home"), "/srv/home", "--chdir", str(WITHIN),
        "--clearenv", "--setenv", "HOME", "/srv/home", "--setenv", "STAGEGRADE_SECRET", SECRET,
        "--setenv", "USER", "grader", "--setenv", "OMP_NUM_THREADS", "1", "--setenv", "LANG", "C.UTF-8",
        "--setenv", "PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    ]  # fmt: skip
    # The honest one is there too; where several are graded in one run, it is graded with them.
    count = max(1, sum(1 for _ in (place / "course" / "submitted").iterdir()) - 1)
    with tempfile.TemporaryFile() as said, _crowd() as crowd:

        def bounded() -> None:
            _bounded()
            if crowd is not None:
                (crowd / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")

        process = subprocess.Popen(
            [*walls, sys.executable, "-c", WRAPPER, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            preexec_fn=bounded,  # noqa: PLW1509 - this program has no threads
        )
        try:
            ended = _watched(process, place, SECONDS * count)
        finally:
            # The namespace's first process ends with it, and everything in the namespace with that.
            process.kill()
            process.wait()
        if crowd is not None and "max 0" not in (crowd / "pids.events").read_text(encoding="ascii"):
            # So many for so short a time that they were not seen.
            ended = "bounds"
        said.seek(0)
        return ended, said.read(1 << 20).decode("utf-8", "replace")


def _bounded() -> None:
    bounds = {
        resource.RLIMIT_DATA: 3 << 30,
        resource.RLIMIT_AS: 16 << 30,
        resource.RLIMIT_FSIZE: 100 << 20,
        resource.RLIMIT_CPU: 60,
        resource.RLIMIT_CORE: 0,
        # Files in memory belong to no process and are not seen from outside; there can be only so many of them.
        resource.RLIMIT_NOFILE: 128,
    }
    if os.getuid():
        bounds[resource.RLIMIT_NPROC] = _threads_of_user() + MOST_THREADS + 16
    for which, bound in bounds.items():
        resource.setrlimit(which, (bound, bound))
    os.nice(5)


def _threads_of_user() -> int:
    mine = (p for p in psutil.process_iter(["uids", "num_threads"]) if p.info["uids"].real == os.getuid())
    return sum(one.info["num_threads"] or 0 for one in mine)


@contextmanager
def _crowd() -> Iterator[Path | None]:
    """A control group that bounds processes, for root, whose own the kernel does not count; ``None`` for others."""
    if os.getuid():
        yield None
        return
    old, new = Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup")
    group = (old if old.is_dir() else new) / f"attacks-{os.getpid()}"
    try:
        group.mkdir()
        (group / "pids.max").write_text(str(MOST_THREADS + 16), encoding="ascii")
    except OSError as error:
        sys.exit(
            f"As root this needs a control group for processes, and there is none ({error}). Run it as a user."
        )
    try:
        yield group
    finally:
        while (group / "cgroup.procs").read_text(encoding="ascii"):
            time.sleep(0.05)
        group.rmdir()


def _watched(process: subprocess.Popen[bytes], place: Path, seconds: float) -> str:
    began, at_first = time.monotonic(), os.getloadavg()[0]
    while process.poll() is None:
        threads = memory = 0
        with suppress(psutil.NoSuchProcess):
            for one in psutil.Process(process.pid).children(recursive=True):
                with suppress(psutil.Error):
                    threads += one.num_threads()
                    memory += one.memory_info().rss
        if threads > MOST_THREADS or memory > MOST_MEMORY or _size(str(place)) > MOST_DISK:
            return "bounds"
        if os.getloadavg()[0] > at_first + MOST_LOAD:
            sys.exit("The machine has too much to do; what was counted so far is kept.")
        if time.monotonic() - began > seconds:
            return "late"
        time.sleep(0.05)
    return "done"


def _files(place: Path) -> Iterator[str]:
    for folder, _, names in os.walk(place):
        yield from (f"{folder}/{name}" for name in names)


def _score(course: Path, student: str) -> float | None:
    """The submission's points; ``None`` where it has no grade, or waits for a person to give one."""
    copy = course.parent / "read.db"
    try:
        shutil.copy(course / "gradebook.db", copy)
        with Gradebook(f"sqlite:///{copy}") as gradebook:
            submission = gradebook.find_submission(ASSIGNMENT, student)
            if any(
                grade.auto_score is None for notebook in submission.notebooks for grade in notebook.grades
            ):
                return None
            score: Any = submission.score
            return float(score)
    except (MissingEntry, OSError, SQLAlchemyError):
        # Never begun, or what there was of it is no gradebook any more.
        return None


def _got_in(course: Path, student: str) -> bool:
    """Whether it shows the secret, or says where it got in; a traceback may quote what it would have said."""
    for path in (course / "autograded" / student).rglob("*"):
        if not path.is_file():
            continue
        if path.suffix != ".ipynb":
            if SECRET.encode() in path.read_bytes():
                return True
            continue
        outputs = [o for cell in json.loads(path.read_bytes())["cells"] for o in cell.get("outputs", ())]
        if SECRET in json.dumps(outputs):
            return True
        if re.search("SECRET", json.dumps([o for o in outputs if o["output_type"] != "error"])):
            return True
    return False


def _spoilt(course: Path) -> bool:
    return SECRET not in (course / "nbgrader_config.py").read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main()
