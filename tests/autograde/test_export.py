"""The export plugin on a gradebook: who is listed, by which names, and in what state."""

import csv
import io
import json
import subprocess
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook
from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory

from stagegrade.autograde import BrokenRoster, StageExport
from stagegrade.report.exports import FORMATS, Submitted, remark
from tests.report.records import broken, record, row

DUE = datetime(2026, 3, 2, 12, 0)  # noqa: DTZ001 - nbgrader keeps times in UTC without saying so
ASSIGNMENT = "query_key_value"
UNREADABLE = record(
    row("scaling", "not_reached"), status="unreadable", first_divergence=None, flags=["it is not JSON"]
)
LMS = [name for name, kind in FORMATS.items() if kind.identities]
CONFIG = "from stagegrade.autograde import configure\nc = get_config()\nconfigure(c)\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Submissions that are right, late, waiting, damaged and not graded yet, and two students without one."""
    root = tmp_path_factory.mktemp("course")
    (root / "nbgrader_config.py").write_text(CONFIG)
    (root / "roster.csv").write_text(
        "id;last_name;first_name;username;id_number\n"
        "right;Roster;Of The;r.right;0001\nabsent;Absent;Never There;a.absent;0002\n",
        encoding="utf-8",
    )
    gradebook: Any
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        gradebook.add_assignment(ASSIGNMENT, duedate=DUE)
        gradebook.add_notebook(ASSIGNMENT, ASSIGNMENT)
        gradebook.add_grade_cell("test", ASSIGNMENT, ASSIGNMENT, max_score=10, cell_type="code")
        gradebook.add_student("right", last_name="Gradebook", first_name="Of The", lms_user_id="77")
        for name in ("late", "waiting", "collected", "enrolled", "damaged", "settled", "late-and-damaged"):
            gradebook.add_student(name)
        submit(gradebook, root, "right", DUE - timedelta(hours=1), 10.0, record())
        submit(gradebook, root, "late", DUE + timedelta(hours=2), 6.0, broken(), penalty=1.5)
        submit(gradebook, root, "waiting", DUE, None, record())
        for name, by_hand in {"damaged": None, "settled": 0.0}.items():
            submit(gradebook, root, name, DUE, 0.0, UNREADABLE, by_hand=by_hand)
        submit(gradebook, root, "late-and-damaged", DUE + timedelta(hours=2), 3.0, UNREADABLE, penalty=1.0)
    (root / "submitted" / "collected" / ASSIGNMENT).mkdir(parents=True)
    return root


def submit(gradebook, root, student, when, score, found, penalty=0.0, by_hand=None):
    submission = gradebook.add_submission(ASSIGNMENT, student, timestamp=when)
    (notebook,) = submission.notebooks
    notebook.late_submission_penalty = penalty
    (grade,) = notebook.grades
    grade.auto_score, grade.needs_manual_grade = score, score is None
    grade.manual_score = by_hand
    gradebook.db.commit()
    for step in ("submitted", "autograded"):
        folder = root / step / student / ASSIGNMENT
        folder.mkdir(parents=True)
        notebook = new_notebook(metadata={"stagegrade": found})
        (folder / f"{ASSIGNMENT}.ipynb").write_text(json.dumps(notebook))


def plugin(root, student="*", **options):
    app = NbGrader()
    app.coursedir = CourseDirectory(parent=app, root=str(root))
    app.coursedir.student_id = student
    return StageExport(parent=app, **options)


def exported(root, **options):
    made = plugin(root, **options)
    with Gradebook(made.parent.coursedir.db_url) as gradebook:
        return made, made.grades(gradebook, [ASSIGNMENT])


def test_everybody_is_listed_whatever_became_of_their_submission(course):
    """A student in the roster alone, or one whose notebook was not graded, would be lost without a word."""
    _, grades = exported(course)
    assert {
        "absent": Submitted.MISSING,
        "collected": Submitted.UNGRADED,
        "damaged": Submitted.UNREADABLE,
        "enrolled": Submitted.MISSING,
        "late": Submitted.LATE,
        "late-and-damaged": Submitted.UNREADABLE,
        "right": Submitted.ON_TIME,
        "settled": Submitted.ON_TIME,
        "waiting": Submitted.IN_REVIEW,
    } == {grade.student.id: grade.submitted for grade in grades}


def test_a_penalty_is_taken_off_once(course):
    """A late student would be graded as if on time, or be charged twice."""
    _, grades = exported(course)
    late = next(grade for grade in grades if grade.student.id == "late")
    assert (6.0, 1.5, 4.5) == (late.raw_score, late.penalty, late.score)
    assert timedelta(hours=2) == late.late_by


def test_a_penalty_is_said_of_a_notebook_that_could_not_be_read(course):
    """Points would be taken off, and nobody told why."""
    _, grades = exported(course, student="late-and-damaged")
    (grade,) = grades
    assert (2.0, 1.0) == (grade.score, grade.penalty)
    assert (
        "It could not be read as it was handed in; ask your instructor. Late by 2 h; 1 taken off."
        == remark(grade)
    )


def test_a_name_stands_as_in_the_gradebook_and_ids_as_in_the_roster(course):
    """An instructor would correct a name in formgrader and see the old one in the file."""
    _, grades = exported(course)
    right = next(grade.student for grade in grades if grade.student.id == "right")
    assert ("Gradebook", "r.right", "0001", "77") == (
        right.last_name,
        right.username,
        right.id_number,
        right.lms_user_id,
    )


def test_who_is_in_no_roster_is_known_by_the_name_they_hand_in_under(course):
    """Without a roster no LMS could be given anything."""
    _, grades = exported(course)
    assert "late" == next(grade.student.username for grade in grades if grade.student.id == "late")


def test_notes_name_who_is_late_missing_or_waiting(course):
    """What an LMS's file has no place for would be known to nobody."""
    made, grades = exported(course, format="canvas")
    notes = made.notes(grades)
    assert [
        f"{ASSIGNMENT}, missing: absent, enrolled.",
        f"{ASSIGNMENT}, late: late, late-and-damaged.",
    ] == notes[:2]
    assert any(note.startswith(f"{ASSIGNMENT}, not graded yet: collected.") for note in notes)
    assert any(note.startswith(f"{ASSIGNMENT}, waits for a person: waiting.") for note in notes)
    assert not made.is_whole(grades)


@pytest.mark.parametrize("name", FORMATS)
def test_a_notebook_that_could_not_be_read_is_named_until_a_person_has_settled_it(course, name):
    """A damaged upload would go to the registrar as an ordinary 0."""
    damaged, settled = (exported(course, format=name, student=who) for who in ("damaged", "settled"))
    (note,) = damaged[0].notes(damaged[1])
    assert note.startswith(f"{ASSIGNMENT}, could not be read: damaged ({ASSIGNMENT}.ipynb). The points are")
    assert not damaged[0].is_whole(damaged[1])
    assert [] == settled[0].notes(settled[1])
    assert settled[0].is_whole(settled[1])


def test_of_several_assignments_each_is_named(course):
    """An instructor would not know which week's work somebody has not handed in."""
    made, grades = exported(course, student="absent")
    both = [*grades, *(replace(grade, assignment="self_attention") for grade in grades)]
    assert [f"{ASSIGNMENT}, missing: absent.", "self_attention, missing: absent."] == made.notes(both)


def test_one_student_can_be_exported_alone(course):
    """One regraded submission would mean uploading the whole class again."""
    _, by_pattern = exported(course, student="r*")

    assert ["right"] == [grade.student.id for grade in by_pattern]
    made = plugin(course, format="csv")
    made.student = ["late"]
    with Gradebook(made.parent.coursedir.db_url) as gradebook:
        assert ["late"] == [grade.student.id for grade in made.grades(gradebook, [ASSIGNMENT])]


def test_a_column_has_the_name_it_has_in_the_lms(course):
    """Canvas would make a new assignment in place of filling the one that is there."""
    made, grades = exported(course, format="canvas", items={ASSIGNMENT: "Week 2 (4711)"})
    (content,) = made.files(grades).values()
    assert "Week 2 (4711)" == next(csv.reader(io.StringIO(content.decode())))[-1]


def test_nbgraders_own_command_exports_with_the_plugin(course):
    """`nbgrader export` would write the file that quotes nothing."""
    run = subprocess.run(
        ["nbgrader", "export", "--StageExport.format=moodle", "--to=week.csv"],
        cwd=course,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == run.returncode, run.stderr
    rows = list(csv.DictReader(io.StringIO((course / "week.csv").read_bytes().decode(), newline="")))
    assert "4.5" == next(row for row in rows if row["Username"] == "late")[f"{ASSIGNMENT} (Real)"]
    assert f"{ASSIGNMENT}, waits for a person: waiting." in run.stderr
    both = (f"{who} ({ASSIGNMENT}.ipynb)" for who in ("damaged", "late-and-damaged"))
    assert f"{ASSIGNMENT}, could not be read: {', '.join(both)}." in run.stderr


@pytest.mark.parametrize("to", ["gradebook.db", "submitted/right.csv", "roster.csv"])
def test_the_plugin_writes_over_nothing_that_the_course_is_made_of(course, monkeypatch, capsys, to):
    """nbgrader's own command would turn the gradebook into a table."""
    monkeypatch.chdir(course)
    made = plugin(course, to=to)
    before = (course / "gradebook.db").read_bytes()
    with Gradebook(made.parent.coursedir.db_url) as gradebook, pytest.raises(SystemExit):
        made.export(gradebook)
    assert before == (course / "gradebook.db").read_bytes()
    assert f"{to} is" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name,email\nA,b\n", "the column 'name'"),
        (b"email\na@b\n", "no column id"),
        (b"id,username\nx,1\nx,2\n", "line 3: x is there already"),
        (b"id,username\n,1\n", "line 2: no id"),
        (b"email,id\na@b\n", "line 2: no id"),
        (b"id\nx,1\n", "line 2: more cells than headings"),
        (b'id,username\nx,"1\ny,2\nz,3\n', "line 2: a quote is never closed"),
        (b'id,username\nw,0\nx,"1\ny,2"\n', "line 3: a quote is never closed"),
        (b'id,username\nx,"1\ny,"2"\n', "line 2: a quote is never closed"),
        (b'id,username\nx,"1"2\n', "line 2: text stands after a closing quote"),
        (b'"id,username\nx,1\n', "line 1: a quote is never closed"),
        (b"id,username\nx,same\nz,1\ny,Same\n", "line 4: username Same is that of x, line 2, too"),
        (b"id,username,lms_user_id\nx,1,5\ny,2,5\n", "line 3: lms_user_id 5 is that of x, line 2, too"),
        (b"id,id_number\nx,07\ny,07\n", "line 3: id_number 07 is that of x, line 2, too"),
        ("id,last_name\nx,Zoë\n".encode("latin-1"), "not UTF-8"),
    ],
)
def test_a_roster_that_is_wrong_says_where(course, tmp_path, content, said):
    """A typing error in a roster would send a grade to somebody else, or end in a traceback."""
    roster = tmp_path / "roster.csv"
    roster.write_bytes(content)
    with pytest.raises(BrokenRoster, match=said):
        exported(course, roster=str(roster))


def test_a_roster_is_read_as_spreadsheets_write_it(course, tmp_path):
    """Students would be refused for a comma in a name, an empty line, or an id that nobody has."""
    roster = tmp_path / "roster.csv"
    roster.write_bytes(
        b'id,last_name,username\r\nright,"Right, ""R.""",r\r\n\r\nlate, "Late", l\r\nabsent,"A, B",\r\n'
    )
    _, grades = exported(course, roster=str(roster))
    found = {g.student.id: (g.student.last_name, g.student.username) for g in grades}
    assert ("Late", "l") == found["late"]
    assert ("Gradebook", "r") == found["right"]  # the gradebook's name goes before the roster's
    assert ("A, B", "") == found["absent"]


@pytest.mark.parametrize("name", LMS)
def test_whom_a_system_could_not_find_is_left_out_and_told(course, tmp_path, name):
    """Canvas would look for somebody of that name, and another's upload would be refused for its empty ids."""
    roster = tmp_path / "roster.csv"
    roster.write_text("id,last_name,username\nright,Right,r\nlate,,\nabsent,Ghost,=g\n")
    made, grades = exported(course, roster=str(roster), format=name)
    (content,) = made.files(grades).values()
    rows = list(csv.reader(io.StringIO(content.decode())))
    people = [row for row in rows[1:] if "Points Possible" not in row[0]]
    # Who is in no roster has their folder's name.
    others = {g.student.id for g in grades} - {"absent", "late", "right"}
    assert len(others) + 1 == len(people)
    assert all(any(name in row for row in people) for name in {"r", *others})
    assert any(
        f"left out, as {name} could find them by no id: absent, late." in n for n in made.notes(grades)
    )
    assert not made.is_whole(grades)


@pytest.mark.parametrize("name", LMS)
def test_one_id_of_two_students_is_refused(course, tmp_path, name):
    """One student's points would go to another, whose name nobody would see."""
    roster = tmp_path / "roster.csv"
    roster.write_text("id,username\nright,Late\n")
    made, grades = exported(course, roster=str(roster), format=name)
    with pytest.raises(BrokenRoster, match="late and right have the same username, late"):
        made.files(grades)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in LMS])
def test_a_table_or_a_folder_takes_any_id(course, name):
    """It would be told that a format could not find somebody whom it looks up nowhere."""
    made, (one,) = exported(course, format=name, student="right")
    odd = [replace(one, student=replace(one.student, id="@sum"))]
    assert [] == made.notes(odd)
    assert made.is_whole(odd)
    (file,) = made.files(odd)
    content = made.files(odd)[file]
    assert b"@sum" in content or "/@sum/" in file
