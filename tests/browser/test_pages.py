"""Feedback and report in a real browser: they open offline, can be used, and everybody can read them."""

import re
import resource
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import SCREENSHOTS, opened, shoot, violations
from tests.browser.classroom import STAGED, Classroom
from tests.browser.large import large_class
from tests.commands import run

pytestmark = pytest.mark.timeout(600)
SIZE = 3_000


@pytest.fixture(scope="module")
def report(classroom: Classroom) -> str:
    return Path(classroom.run("stagegrade", "report", STAGED).strip()).as_uri()


@pytest.mark.parametrize(
    ("student", "scheme"),
    [("two-errors", "light"), ("two-errors", "dark"), ("raises", "light"), ("right", "dark")],
)
def test_feedback_is_accessible(browser: Browser, classroom: Classroom, student: str, scheme) -> None:
    """Somebody who cannot see colours, or sees nothing at all, could not read what went wrong."""
    with opened(browser, classroom.feedback(student), scheme=scheme, width=1000) as page:
        assert [] == violations(page)
        if student == "two-errors":
            shoot(page, f"feedback-{scheme}")
            shoot(page, f"panel-{scheme}", element=".panel:has-text('start here')")


def test_feedback_leads_from_the_summary_to_the_cell(browser: Browser, classroom: Classroom) -> None:
    """The first thing to look at would have to be searched for."""
    with opened(browser, classroom.feedback("two-errors")) as page:
        page.get_by_role("heading", name="Look at this first").get_by_role("link", name="key_index").click()
        expect(page.get_by_role("heading", name="Check: test-key_index")).to_be_in_viewport()
        expect(page.get_by_text("Count the keys aloud, from zero.")).to_have_count(1)


def test_feedback_asks_nothing_of_the_network(browser: Browser, classroom: Classroom) -> None:
    """Opened on a train, or years later, it would lack its formulas and styles."""
    asked: list[str] = []
    with opened(browser, "about:blank") as page:
        page.on("request", lambda request: asked.append(request.url))
        page.goto(classroom.feedback("two-errors"))
        page.wait_for_load_state("networkidle")
        assert page.locator("math").count() > 5
    assert [classroom.feedback("two-errors")] == [url for url in asked if not url.startswith("data:")]


def test_feedback_fits_a_telephone(browser: Browser, classroom: Classroom) -> None:
    """Most students open it there, and would have to scroll sideways in every line."""
    with opened(browser, classroom.feedback("two-errors"), width=380) as page:
        assert 380 >= page.evaluate("document.documentElement.scrollWidth")
        shoot(page, "feedback-telephone")


def test_feedback_prints_dark_on_light(browser: Browser, classroom: Classroom, tmp_path: Path) -> None:
    """A dark page would use up a cartridge, or print white on white."""
    with opened(browser, classroom.feedback("two-errors"), scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        colors = page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        assert ["rgb(0, 0, 0)", "rgb(255, 255, 255)"] == colors
        shoot(page, "feedback-print")
        page.pdf(path=tmp_path / "feedback.pdf", format="A4")
        assert (tmp_path / "feedback.pdf").stat().st_size > 20_000


def test_a_hostile_notebook_does_nothing_on_its_page(browser: Browser, classroom: Classroom) -> None:
    """An instructor who opens it from the report would run a student's script."""
    with opened(browser, classroom.feedback("hostile")) as page:
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.stolen") is None
        expect(page.get_by_text("bold", exact=True)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_is_accessible(browser: Browser, report: str, scheme) -> None:
    """A colleague who cannot see colours could not read the map."""
    with opened(browser, report, scheme=scheme) as page:
        for summary in page.locator("summary").all():
            summary.click()
        assert [] == violations(page)
    with opened(browser, report, scheme=scheme) as page:
        shoot(page, f"report-{scheme}", full=True)


def names(page: Page) -> list[str]:
    return page.locator("#rows th").all_inner_texts()


def test_the_list_of_students_is_narrowed_and_sorted(browser: Browser, report: str) -> None:
    """Who has made a mistake could only be found by reading every line."""
    with opened(browser, report) as page:
        assert 7 == len(names(page))
        page.get_by_role("combobox", name="What went wrong").select_option("third-key")
        assert ["third-key", "two-errors"] == names(page)
        page.get_by_role("combobox", name="Stage").select_option(label="context")
        expect(page.get_by_role("status")).to_have_text("0 of 7 students")
        page.get_by_role("button", name="Show all").click()
        page.get_by_role("button", name="Points").click()
        lowest = names(page)[0]
        page.get_by_role("button", name="Points").click()
        assert "two-errors" == lowest
        assert "right" == names(page)[0]
        assert "descending" == page.locator("th[aria-sort]:not([aria-sort=none])").get_attribute("aria-sort")
        page.get_by_role("searchbox", name="Student").fill("key")
        assert ["third-key"] == names(page)


def test_a_chart_leads_to_its_students_and_they_to_their_feedback(
    browser: Browser, report: str, classroom: Classroom
) -> None:
    """An instructor sees that somebody diverges, and has to look the notebook up by hand."""
    with opened(browser, report) as page:
        page.locator('a:has([aria-label="key_index: 2 diverges"])').click()
        expect(page.get_by_role("status")).to_have_text("2 of 7 students")
        page.locator("#rows").get_by_role("link", name="two-errors").click()
        page.wait_for_url(classroom.feedback("two-errors"))
        expect(page.get_by_role("heading", level=1)).to_have_text("Query, key, value")


def test_names_can_be_hidden_at_a_click(browser: Browser, report: str) -> None:
    """Thrown on the wall of a lecture hall, the list would name everybody."""
    with opened(browser, report) as page:
        page.get_by_label("hide names").check()
        assert all(re.fullmatch(r"student \d", name) for name in names(page))
        assert 0 == page.locator("#rows a").count()


def test_the_report_is_read_without_its_script(browser: Browser, report: str) -> None:
    """Where scripts are off, a viewer of files for one, there would be no page at all."""
    with opened(browser, report, java_script_enabled=False) as page:
        assert 5 == page.locator("figure svg").count()
        expect(page.get_by_text("Say in class:").first).to_be_visible()
        expect(page.get_by_text("stagegrade report query_key_value --csv")).to_be_visible()


@pytest.fixture(scope="module")
def large(classroom: Classroom, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return large_class(classroom.course, tmp_path_factory.mktemp("large") / "attention", SIZE)


def test_a_large_class_is_reported_in_seconds_and_opens_at_once(
    large: Path, classroom: Classroom, browser: Browser
) -> None:
    """An instructor of thousands would wait for the page, and then for the browser.

    Processor time, which does not depend on what else the machine does.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = run("stagegrade", "report", STAGED, cwd=large, env=classroom.env).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    assert 10 > took

    page_file = Path(said.strip())
    assert 3_000_000 > page_file.stat().st_size
    with opened(browser, page_file.as_uri()) as page:
        loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        assert 2_000 > loaded
        shoot(page, "report-3000")
        measured = (
            f"{SIZE} students: {took:.1f} s of processor time for the report, open after {loaded:.0f} ms\n"
        )
        (SCREENSHOTS / "report-3000.txt").write_text(measured)
        expect(page.get_by_role("status")).to_have_text(f"{SIZE} of {SIZE} students")
        assert 100 == page.locator("#rows tr").count()
        page.get_by_role("button", name="Next").click()
        expect(page.get_by_text("page 2 of 30")).to_be_visible()
        page.get_by_role("searchbox", name="Student").fill("Family 2999")
        expect(page.locator("#rows tr")).to_have_count(1)


def test_csv_of_a_large_class_has_a_line_each(large: Path, classroom: Classroom) -> None:
    """Somebody would be missing, and nobody would notice among thousands."""
    said = run("stagegrade", "report", STAGED, "--csv", cwd=large, env=classroom.env).stdout
    # Those whose notebooks are linked here are in the gradebook, but not in this course's autograded/.
    assert SIZE + 1 == len(said.splitlines())
