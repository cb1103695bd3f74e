"""Tables of grades and of stages, and Gradescope's results, read back."""

import csv
import io
import json

import pytest

from stagegrade.report.exports import FORMATS
from stagegrade.report.exports import results as record_results
from tests.report.exports.grades import COHORT, LATE, UNREAD, grade
from tests.report.records import broken, diverging, record

NBGRADER = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


def read(name, missing=""):
    render = FORMATS[name].render
    assert render is not None
    return list(csv.DictReader(io.StringIO(render(COHORT, missing).decode(), newline="")))


def test_the_plain_table_begins_as_nbgraders_does():
    """A script made for nbgrader's own export would no longer work."""
    assert NBGRADER == tuple(read("csv")[0])[: len(NBGRADER)]


def test_the_plain_table_says_who_is_late_missing_or_waiting():
    """An instructor would take an absence for a failure."""
    rows = {row["student_id"]: row for row in read("csv")}
    assert ["on time", "late", "missing", "waits for a person"] == [row["submitted"] for row in rows.values()]
    assert ("6.333333", "1", "5.333333") == (
        rows["late"]["raw_score"],
        rows["late"]["late_submission_penalty"],
        rows["late"]["score"],
    )
    assert ("scaling", "scaling step", "divides-by-d_k") == (
        rows["late"]["first_divergence"],
        rows["late"]["checkpoint"],
        rows["late"]["mistake"],
    )
    assert ("2026-03-02 12:00:00", "2026-03-03 14:03:00") == (
        rows["late"]["duedate"],
        rows["late"]["timestamp"],
    )
    assert "" == rows["missing"]["score"]
    assert "0" == read("csv", missing="0")[2]["score"]


def test_mistakes_that_no_case_tells_apart_stand_together_in_the_column():
    """An instructor who counts mistakes would miss those that have two names."""
    undecided = record(diverging(alternatives=["divides-by-d_k", "scaled-twice"]) | {"mistake": None})
    one = grade(LATE, record=undecided)
    for name in ("csv", "stages"):
        render = FORMATS[name].render
        assert render is not None
        (row,) = csv.DictReader(io.StringIO(render([one], "").decode(), newline=""))
        assert "divides-by-d_k or scaled-twice" == row["mistake"]
    assert ["divides-by-d_k", "scaled-twice"] == record_results(undecided)["tests"][0]["tags"]


def test_the_table_of_stages_has_a_row_for_each_stage_and_one_for_each_absence():
    """Whoever analyses the cohort would count students wrongly."""
    rows = read("stages")
    assert [5, 5, 1, 5] == [
        sum(1 for row in rows if row["student_id"] == grade.student.id) for grade in COHORT
    ]
    (first,) = [row for row in rows if row["first_divergence"] == "true"]
    assert ("late", "3", "scaling", "diverges", "divides-by-d_k", "rectangular", "8") == (
        first["student_id"],
        first["position"],
        first["stage"],
        first["verdict"],
        first["mistake"],
        first["case_kind"],
        first["case_seed"],
    )


def test_parquet_holds_the_same_table_with_types():
    """The two tables of stages would tell different things, or every number would be text."""
    parquet = pytest.importorskip("pyarrow.parquet")
    render = FORMATS["parquet"].render
    assert render is not None
    table = parquet.read_table(io.BytesIO(render(COHORT, "")))
    rows, texts = table.to_pylist(), read("stages")
    assert list(texts[0]) == table.column_names
    assert len(texts) == len(rows)
    for row, text in zip(rows, texts, strict=True):
        for name, value in row.items():
            if isinstance(value, bool):
                assert text[name] == str(value).lower()
            elif isinstance(value, (int, float)):
                assert float(text[name]) == pytest.approx(value)
            elif name not in ("last_name", "first_name"):  # a formula is made neutral in CSV alone
                assert text[name] == (value or "")
    assert "=HYPERLINK(1)" in table["last_name"].to_pylist()


def test_tables_and_gradescope_say_what_could_not_be_read():
    """A damaged file would look like a student who got everything wrong."""
    for name in ("csv", "stages"):
        render = FORMATS[name].render
        assert render is not None
        (line,) = csv.DictReader(io.StringIO(render([UNREAD], "").decode(), newline=""))
        assert "could not be read" == line["submitted"]
    found = results(UNREAD)
    assert (0.0, "unreadable") == (found["score"], found["extra_data"]["status"])
    assert "It could not be read as it was handed in; ask your instructor." == found["output"]


def results(grade):
    each = FORMATS["gradescope"].each
    assert each is not None
    return json.loads(each(grade))


def test_gradescope_gets_a_test_for_each_stage():
    """A student would see a total and not what it is made of."""
    found = results(COHORT[1])
    assert ["1", "2", "3", "4", "5"] == [test["number"] for test in found["tests"]]
    assert ["passed", "passed", "failed", "passed", "failed"] == [test["status"] for test in found["tests"]]
    assert ["divides-by-d_k"] == found["tests"][2]["tags"]
    assert "Evaluate the divisor" in found["tests"][2]["output"]
    assert "Late by 1 d 2 h 3 min" in found["output"]


def test_gradescopes_total_is_the_grade_with_its_penalty():
    """The sum of the tests would win over what the gradebook says."""
    assert COHORT[1].score == results(COHORT[1])["score"]


def test_an_autograder_of_its_own_gives_the_judges_score_and_where_to_look():
    """Gradescope would show a total made of nothing, or no word on where to begin."""
    found = record_results(broken())
    assert (6.0, "Look first at: scaling (checkpoint: scaling step).") == (found["score"], found["output"])
    assert found["score"] == sum(test["score"] for test in found["tests"])


def test_gradescope_knows_every_word_that_it_is_told():
    """An upload with another word is refused."""
    found = results(COHORT[0])
    allowed = {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format"}
    allowed |= {"visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"}
    assert set() == set(found) - allowed
    in_tests = {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format"}
    in_tests |= {"tags", "visibility", "extra_data"}
    assert set() == {key for test in found["tests"] for key in test} - in_tests
    assert {"passed", "failed"} >= {test["status"] for test in found["tests"]}
