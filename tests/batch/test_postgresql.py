"""A gradebook in PostgreSQL, on a real server that is started here."""

import json
import os
import pwd
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from stagegrade.autograde._origins import make_table
from tests.batch import gradebooks
from tests.batch.conftest import ASSIGNMENT
from tests.commands import BIN, run

pytestmark = pytest.mark.timeout(600)


def server_programs() -> Path | None:
    """The folder of PostgreSQL's programs, which Debian keeps off the PATH."""
    found = shutil.which("pg_ctl")
    if found is not None:
        return Path(found).resolve().parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


@pytest.fixture(scope="module")
def server():
    """The folder of a server's socket. As root it runs as another user: PostgreSQL refuses to be root."""
    programs = server_programs()
    if programs is None:
        assert "STAGEGRADE_REQUIRE_POSTGRESQL" not in os.environ, "PostgreSQL is required here"
        pytest.skip("PostgreSQL is not installed; on Debian: apt-get install postgresql")
    user = "postgres" if os.getuid() == 0 else None
    root = Path(tempfile.mkdtemp(prefix="pg-"))
    if user:
        os.chown(root, pwd.getpwnam(user).pw_uid, -1)

    def program(name, *arguments):
        words = [programs / name, *arguments]
        subprocess.run(words, user=user, cwd=root, check=True, stdout=subprocess.DEVNULL)

    program("initdb", "-D", root / "data", "-U", "grader", "-A", "trust", "--no-sync")
    options = f"-k {root} -c listen_addresses='' -c fsync=off"
    program("pg_ctl", "-D", root / "data", "-o", options, "-w", "-l", root / "log", "start")
    try:
        yield root
    finally:
        program("pg_ctl", "-D", root / "data", "-m", "immediate", "stop")
        shutil.rmtree(root)


def database(server, name) -> str:
    programs = server_programs()
    assert programs is not None
    subprocess.run([programs / "createdb", "-h", server, "-U", "grader", name], check=True)
    return f"postgresql+psycopg://grader@/{name}?host={server}"


def moved(course, url, env) -> None:
    """The course, its gradebook anew in PostgreSQL."""
    (course / "gradebook.db").unlink()
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.db_url = {url!r}\n")
    run("nbgrader", "generate_assignment", ASSIGNMENT, "--force", cwd=course, env=env)


def test_it_holds_what_sqlite_would(course, server, env, undisturbed):
    """Where the gradebook is kept changes no grade in it."""
    url = database(server, "alone")
    moved(course, url, env)
    run("stagegrade", "autograde", ASSIGNMENT, cwd=course, env=env, status=1)
    assert gradebooks.rows(gradebooks.url(undisturbed)) == gradebooks.rows(url)
    again = run("stagegrade", "autograde", ASSIGNMENT, cwd=course, env=env, status=None)
    assert "0 graded" in again.stderr
    told = [
        json.loads(run("stagegrade", "report", ASSIGNMENT, "--json", cwd=root, env=env).stdout)["students"]
        for root in (undisturbed, course)
    ]
    for one in (one for students in told for one in students):
        del one["seconds"]
    assert told[0] == told[1]


def test_a_table_that_another_grader_is_making_is_no_error(server):
    """The later of two graders that begin together would end without having graded anybody."""
    engine = create_engine(database(server, "making"))
    failed: list[Exception] = []

    def make() -> None:
        try:
            with engine.begin() as connection:
                make_table(connection)
        except SQLAlchemyError as error:
            failed.append(error)

    later = threading.Thread(target=make)
    with engine.connect() as sees, engine.begin() as first:
        make_table(first)
        later.start()
        waits = text("select count(*) from pg_stat_activity where wait_event_type = 'Lock'")
        deadline = time.monotonic() + 20
        while not sees.execute(waits).scalar() and time.monotonic() < deadline:
            sees.rollback()
            time.sleep(0.05)
    later.join()
    made = inspect(engine).get_table_names()
    engine.dispose()
    assert [] == failed
    assert ["stagegrade_graded_from"] == made


def test_several_graders_write_at_once(course, server, env, undisturbed, tmp_path):
    """Two machines may grade one class into one gradebook; where both grade a student, the grades are the same."""
    url = database(server, "several")
    moved(course, url, env)
    other = tmp_path / "other"
    shutil.copytree(course, other)
    graders = [
        subprocess.Popen(
            [BIN / "stagegrade", "autograde", ASSIGNMENT, "--jobs=1"],
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for folder in (course, other)
    ]
    said = [grader.communicate()[1] for grader in graders]
    assert [1, 1] == [grader.returncode for grader in graders], said
    assert gradebooks.rows(gradebooks.url(undisturbed)) == gradebooks.rows(url)
    assert gradebooks.files(course / "autograded") == gradebooks.files(other / "autograded")
