"""The cohort's report as a page and as data."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from stagegrade.report import Cohort, Submission, report_csv, report_data, report_page
from stagegrade.report._charts import verdict_map
from tests.report.cohorts import cohort, submission
from tests.report.page import Page
from tests.report.records import broken, record


@pytest.fixture(scope="module")
def html() -> str:
    return report_page(cohort())


def embedded(html: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    data: dict = json.loads(found[1])
    return data


def test_the_page_needs_nothing_from_elsewhere(html: str) -> None:
    """It would be blank in a train, or tell another server who looks at whose grades."""
    assert not re.search(r'(src|href)="(https?:)?//', html)
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)
    assert "default-src 'none'" in html


def test_the_page_is_well_formed_and_every_part_can_be_reached(html: str) -> None:
    """A link of the contents would lead nowhere."""
    page = Page(html)
    assert {"where", "mistakes", "points", "persons", "all-students"} <= set(page.ids)
    inner = {link[1:] for link in page.links if re.fullmatch(r"#[a-z-]+", link)}
    assert set() == inner - set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert 1 == page.headings.count(1)


def test_charts_are_static_pictures_with_words(html: str) -> None:
    """Without scripts, on paper or by ear, there would be no charts."""
    assert 4 == html.count("<svg")
    for said in (
        "scaling: 4 diverges",
        "scaling: 6 of 11 right in it and all before",
        "scaling: divides-by-d_k: 3, first divergence",
        "8 to below 9 points: 2",
    ):
        assert f'aria-label="{said}"' in html
    # In the page's own colours, which turn dark with it.
    assert not re.search(r'(fill|stroke)="#(?!000)', html)


def test_an_area_of_a_chart_leads_to_its_students(html: str) -> None:
    """An instructor sees that forty diverge, and cannot see who."""
    assert 'href="#stage=scaling&amp;verdict=diverges"' in html
    assert 'href="#stage=scaling&amp;cause=divides-by-d_k"' in html


def test_shares_are_of_the_submissions_that_could_be_run(html: str) -> None:
    """Two shares on one page would be of different classes, and a damaged file count as a mistake somewhere."""
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))
    assert (
        "Shares are of the 11 submissions that could be run; "
        "1 could not be, and is under Needs a person until settled by hand." in text
    )
    assert "Right throughout5 (45 %)" in text
    assert "Most diverge first at scaling: 4 (36 %)." in text
    whole = replace(cohort(), submissions=cohort().submissions[:3])
    assert "Shares are of" not in report_page(whole)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_small_class_is_counted_in_whole_students(size: int) -> None:
    """The map's axis would say of two students: 0, 1, 1, 2, 2."""
    drawn, _ = verdict_map(replace(cohort(), submissions=cohort().submissions[:size]))
    counted = re.findall(r">(\d+)</text>", drawn)
    assert [str(n) for n in range(size + 1)] == sorted(counted)


def test_a_mistake_has_an_example_and_what_to_say(html: str) -> None:
    """The list would be one of names, and the lesson still to be thought of."""
    words = Page(html).words
    begin = words.index("scaling: divides-by-d_k 3 students")
    said = words[begin : begin + 1500]
    assert "Say in class: The scores shrink too much. The root is missing." in said
    assert "Have them try: Evaluate the divisor for d_k of nine." in said
    assert "≠ 0.6352" in said.replace("\u00a0", " ")


def test_the_script_gets_every_student(html: str) -> None:
    """Somebody would be missing from the list, or have another's verdicts."""
    data = embedded(html)
    assert [one.student for one in cohort().submissions] == [s["id"] for s in data["students"]]
    divides = next(s for s in data["students"] if s["id"] == "divides-0")
    titles = [data["kinds"][k]["key"] for k in divides["verdicts"]]
    assert ["correct", "correct", "diverges", "carried", "raised"] == titles
    assert "scaling" == data["stages"][divides["first"]]
    assert "divides-by-d_k" == data["causes"][divides["causes"][divides["first"]]]
    by_hand = next(s for s in data["students"] if s["id"] == "by-hand")
    assert "../feedback/by-hand/x.html" == by_hand["page"]


def test_nothing_breaks_out_of_the_data() -> None:
    """A student's id or error message could end the script element and begin one of its own."""
    evil = "</script><script>alert(1)</script><!--"
    one = submission(evil, broken(detail=evil, hint=evil, got=evil), name=evil)
    one.record["flags"].append(evil)
    html = report_page(Cohort(assignment="x", submissions=[one]))
    assert "alert(1)</script>" not in html
    assert evil == embedded(html)["students"][0]["id"]


def test_an_anonymous_report_holds_nobodys_name() -> None:
    """Shown in class, or sent to a colleague, its source would tell."""
    some = cohort().anonymous()
    told = [report_page(some), report_csv(some), json.dumps(report_data(some))]
    names = {one.student for one in cohort().submissions} | {"Last, First", "feedback/"}
    for text in told:
        assert set() == {
            name for name in names if f'"{name}"' in text or f">{name}<" in text or f"\n{name}," in text
        }
        assert "../feedback" not in text
    assert sorted(one.score for one in cohort().submissions) == sorted(one.score for one in some.submissions)


def test_an_anonymous_order_tells_nothing() -> None:
    """Numbered by the alphabet, everybody could be counted out."""
    class_of_40 = Cohort(
        assignment="x", submissions=[submission(f"s{n:02}", record(), score=float(n)) for n in range(40)]
    )
    hidden = class_of_40.anonymous()
    assert [float(n) for n in range(40)] != [one.score for one in hidden.submissions]
    assert hidden == class_of_40.anonymous()


def test_a_report_before_anything_is_graded_says_so() -> None:
    """The first look, on the evening of the deadline, would be a traceback."""
    assert "No submission of a notebook that tests stages" in report_page(
        Cohort(assignment="x", submissions=())
    )


def test_time_is_shown_where_it_was_recorded(html: str) -> None:
    """A submission that takes a minute would go unnoticed among thousands."""
    assert 'id="time"' not in html
    timed = [submission(f"s{n}", record(), seconds=0.25 * n) for n in range(1, 9)]
    page = report_page(Cohort(assignment="x", submissions=timed))
    assert "the longest submission 2 s" in page
    assert 2.0 == embedded(page)["students"][7]["seconds"]


def test_csv_has_a_line_a_student() -> None:
    """A spreadsheet would lack a student, or a stage."""
    lines = list(csv.DictReader(io.StringIO(report_csv(cohort()))))
    assert [one.student for one in cohort().submissions] == [line["student"] for line in lines]
    divides = lines[3]
    assert ("diverges", "0", "carried", "2", "scaling", "divides-by-d_k") == tuple(
        divides[name]
        for name in ("scaling", "scaling_points", "softmax", "softmax_points", "first_divergence", "cause")
    )


def test_json_has_the_figures_and_the_students() -> None:
    """A script that reads the report would have to compute them again."""
    data = json.loads(json.dumps(report_data(cohort())))
    assert (1, "query_key_value", 12) == (data["schema"], data["assignment"], data["submissions"])
    scaling = next(stage for stage in data["stages"] if stage["stage"] == "scaling")
    assert (7, 6, 4) == (scaling["right"], scaling["past"], scaling["first_divergences"])
    assert {"divides-by-d_k"} == {s["mistake"] for one in data["students"] for s in one["stages"]} - {None}


def test_a_submission_without_a_stage_is_no_trouble() -> None:
    """One notebook graded by an older release of the assignment would make the report fail for all."""
    short = record(record()["stages"][0])
    some = Cohort(
        assignment="x",
        submissions=[
            Submission(student="old", record=short, score=2, max_score=2),
            submission("new", record()),
        ],
    )
    assert 2 == len(embedded(report_page(some))["students"])
    assert [-1] * 4 == embedded(report_page(some))["students"][0]["verdicts"][1:]


def test_a_link_leads_to_a_folder_whatever_its_name() -> None:
    """Of a student whose folder is called `a#b?c` the feedback would not be found from the report."""
    odd = submission("a#b?c", record(), feedback="../feedback/a#b?c/x/100% x.html", waits=True)
    address = "../feedback/a%23b%3Fc/x/100%25%20x.html"
    page = report_page(Cohort(assignment="x", submissions=[odd]))
    assert address in Page(page).links
    assert address in re.findall(r'"page": ?"([^"]*)"', page)


def test_a_report_made_before_the_feedback_says_how_its_list_comes_to_lead_there() -> None:
    """An instructor would look for each student's page by hand, though another run would link them."""
    without = Cohort(assignment="x", submissions=[submission("s", record())])
    said = "nbgrader generate_feedback x</code>"
    assert said in report_page(without)
    # Where names are hidden nothing is to lead to them.
    assert said not in report_page(without.anonymous())
    assert said not in report_page(
        Cohort(assignment="x", submissions=[submission("s", record(), feedback="../s.html")])
    )
