"""Several graders of one assignment at once: none dies of another, and what stands is whole."""

import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stagegrade.autograde._partial import own_name, put_in_place, remove_leftovers
from stagegrade.autograde._running import running
from tests.batch.conftest import ASSIGNMENT

FILES, TIMES = 20, 30


def put_many(place: Path, grader: str) -> None:
    for number in range(TIMES):
        made = place.with_name(f".place.{grader}.partial")
        made.mkdir()
        for file in range(FILES):
            (made / f"{file}").write_text(f"{grader} {number}")
        put_in_place(made, place)


def test_what_several_move_to_one_place_is_the_last_ones_whole(tmp_path):
    """A folder would hold files of two graders, or a grader would end with an error."""
    place = tmp_path / "place"
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda grader: put_many(place, grader), ["a", "b", "c", "d"]))
    assert FILES == len(list(place.iterdir()))
    assert 1 == len({file.read_text() for file in place.iterdir()})
    assert [place] == list(tmp_path.iterdir())


def test_what_killed_graders_left_goes_and_what_is_being_made_stays(tmp_path):
    """The disk would fill up, or one grader would take away the folder of another."""
    host = own_name().rpartition("-")[0].rpartition("-")[0]
    begun = {
        f".work.{host}-1-00000000.partial": True,
        f".work.{host}-{2**22 + 1}-00000000.partial": False,
        f".work.{host}-{2**22 + 1}-00000000.replaced": False,
        f".work.{host}-{os.getpid()}-00000000.partial": False,
        f".work.{own_name()}.partial": True,
        ".work.elsewhere-1-00000000.partial": True,
        ".work.long-ago-1-00000000.partial": False,
        "work": True,
    }
    for name in begun:
        (tmp_path / name).mkdir()
    before = time.time() - 2 * 24 * 3600
    os.utime(tmp_path / ".work.long-ago-1-00000000.partial", (before, before))
    remove_leftovers(tmp_path, ".work.")
    assert {name for name, stays in begun.items() if stays} == {path.name for path in tmp_path.iterdir()}


def test_two_runs_of_one_course_at_once_both_end_well(course, env):
    """An instructor and a nightly job, or two instructors, would both find their run dead."""
    for folder in (course / "submitted").iterdir():
        if folder.name not in ("right-0", "keys-two-0", "blank-0"):
            shutil.rmtree(folder)
    command = ["stagegrade", "autograde", ASSIGNMENT, "--force"]
    with running(course, ASSIGNMENT):
        both = [
            subprocess.Popen(command, cwd=course, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
            for _ in range(2)
        ]
        said = [process.communicate()[1].decode() for process in both]
    assert [0, 0] == [process.returncode for process in both], said
    for one in said:
        assert f"another run is grading {ASSIGNMENT} here (process {os.getpid()})" in one
    assert [ASSIGNMENT] * 3 == [path.name for path in (course / "autograded").glob("*/*")]
