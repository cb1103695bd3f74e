"""Files for learning management systems, read back by the rules of each system's own import."""

import csv
import io
import re

import pytest

from stagegrade.report.exports import FORMATS, unidentified
from tests.report.exports.grades import COHORT, FORMULA_ID, LATE, RIGHT, UNREAD, WAITING, grade

LMS = ("canvas", "moodle", "blackboard", "brightspace")


def table(name, grades=COHORT, missing=""):
    """The file's rows, each as wide as its heading."""
    render = FORMATS[name].render
    assert render is not None
    rows = list(csv.reader(io.StringIO(render(grades, missing).decode("utf-8"), newline="")))
    assert {len(rows[0])} == {len(row) for row in rows}
    return rows


def by(column, rows):
    """Each row as a mapping from heading to cell, by its cell in one column."""
    heading = rows[0]
    return {row[heading.index(column)]: dict(zip(heading, row, strict=True)) for row in rows[1:]}


def canvas_import(rows):
    """Scores by Canvas user as Canvas's importer reads them: five columns that say who, then assignments."""
    heading, possible, *students = rows
    assert "Student" in heading[0]
    assert "ID" in heading[1]
    assert re.search(r"SIS\s+User\s+ID", heading[2])
    assert re.search(r"SIS\s+Login\s+ID", heading[3])
    assert "Section" in heading[4]
    assert "Points Possible" in possible[0]
    assert not any("Points Possible" in row[0] for row in students)
    return heading[5:], possible[5:], {row[1] or row[2] or row[3]: row[5:] for row in students}


def test_canvas_reads_who_what_and_out_of_how_much():
    """Canvas would refuse the heading, or give the points to a new assignment without a maximum."""
    items, possible, scores = canvas_import(table("canvas"))
    assert ["Week 2"] == items
    assert ["10"] == possible
    assert {"77": ["10"], "78": ["5.333333"], "-12": [""], "0012347": [""]} == scores


def test_canvas_excuses_who_is_to_be_excused():
    """An instructor's word on missing submissions would be lost."""
    assert ["EX"] == canvas_import(table("canvas", missing="EX"))[2]["-12"]


def test_moodle_gets_feedback_beside_each_grade():
    """Moodle's import of one without the other loses the grades."""
    rows = by("Username", table("moodle"))
    assert ("10", "Every stage is right.") == (
        rows["rthrough"]["Week 2 (Real)"],
        rows["rthrough"]["Week 2 (Feedback)"],
    )
    assert "5.333333" == rows["zlate"]["Week 2 (Real)"]
    said = "Look first at: scaling (checkpoint: scaling step). Late by 1 d 2 h 3 min; 1 taken off."
    assert said == rows["zlate"]["Week 2 (Feedback)"]
    assert ("-", "No submission.") == (rows["none"]["Week 2 (Real)"], rows["none"]["Week 2 (Feedback)"])
    assert "-" == rows["wait"]["Week 2 (Real)"]


def test_blackboard_finds_people_by_username_and_every_cell_is_quoted():
    """Blackboard asks for quotes around each cell of a comma-separated file."""
    assert "5.333333" == by("Username", table("blackboard"))["zlate"]["Week 2"]
    render = FORMATS["blackboard"].render
    assert render is not None
    for line in render(COHORT, "").decode().split("\r\n")[:-1]:
        assert line.startswith('"')
        assert line.endswith('"')


def test_brightspace_gets_a_points_grade_and_a_mark_at_each_line_end():
    """Brightspace would not know the column for points, or where a line ends."""
    rows = table("brightspace")
    assert ["OrgDefinedId", "Username"] == rows[0][:2]
    assert "Week 2 Points Grade <Numeric MaxPoints:10>" == rows[0][2]
    assert "End-of-Line Indicator" == rows[0][-1]
    assert {"#"} == {row[-1] for row in rows[1:]}
    assert "10" == by("OrgDefinedId", rows)["0012345"][rows[0][2]]


@pytest.mark.parametrize("name", LMS)
def test_a_leading_zero_stays_on_an_id(name):
    """The system would find nobody, or somebody else."""
    assert any("0012345" in row for row in table(name))


@pytest.mark.parametrize("name", LMS)
def test_names_come_back_whole(name):
    """A comma or quote in a name would push the grade into another column."""
    rows = table(name)
    if name != "brightspace":
        assert any('Late, "very"' in cell for row in rows for cell in row)
        assert any("Zoë" in cell for row in rows for cell in row)


@pytest.mark.parametrize("name", LMS)
def test_no_cell_is_a_formula(name):
    """Whoever opens the file in a spreadsheet first would run what a student put into their name."""
    for row in table(name, (*COHORT, grade(FORMULA_ID))):
        for cell in row:
            assert not re.match(r"[=@\t\r]|[+-](?![\d.]*$)", cell) or cell == "-"


@pytest.mark.parametrize("name", LMS)
def test_an_id_that_is_a_formula_is_left_out_and_told(name):
    """An altered id would be somebody else's; a row that nobody is found by would be lost without a word."""
    identities = FORMATS[name].identities
    assert [FORMULA_ID] == unidentified((*COHORT, grade(FORMULA_ID)), identities)
    assert not any(
        "SUM" in cell or "1+1" in cell for row in table(name, (grade(FORMULA_ID),)) for cell in row
    )


@pytest.mark.parametrize("name", LMS)
def test_a_score_that_is_not_final_is_not_handed_on(name):
    """A registrar would be sent points that a person has yet to decide on."""
    (row,) = table(name, (grade(WAITING, COHORT[3].submitted, score=4.0),))[-1:]
    assert "4" not in row


@pytest.mark.parametrize("name", LMS)
@pytest.mark.parametrize("missing", ["", "0"])
def test_no_submission_is_no_points_only_where_that_was_asked_for(name, missing):
    """A student with an extension would be given 0 points."""
    rows = table(name, missing=missing)
    (found,) = [row for row in rows if "-12" in row or "none" in row]
    assert (missing == "0") == ("0" in found)


@pytest.mark.parametrize("name", LMS)
def test_two_assignments_are_two_columns(name):
    """The second week's points would stand in the first week's column."""
    second = [
        grade(RIGHT, assignment="self_attention", item="Week 3", score=7.0, max_score=12.0),
        grade(LATE, assignment="self_attention", item="Week 3", score=8.0, max_score=12.0),
    ]
    rows = table(name, (*COHORT, *second))
    third = next(at for at, heading in enumerate(rows[0]) if heading.startswith("Week 3"))
    assert {"0012345": "7", "0012346": "8"} == {
        key: row[third] for row in rows for key in ("0012345", "0012346") if key in row
    }


@pytest.mark.parametrize("name", LMS)
def test_what_could_not_be_read_has_the_gradebooks_points(name):
    """An import would leave last week's grade standing, or take an empty cell for an excuse."""
    (row,) = table(name, (UNREAD,))[-1:]
    assert "0" in row
    if name == "moodle":
        assert "It could not be read as it was handed in; ask your instructor." in row
