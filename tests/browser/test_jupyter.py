"""formgrader and JupyterLab in a real browser, with this course and nothing patched."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import notebooks
from tests.browser.chromium import opened, shoot, violations
from tests.browser.classroom import STAGED, solved
from tests.browser.week import COMMENT, HOSTILE, WRONG, Week, lived_through

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Week]:
    with lived_through(tmp_path_factory.mktemp("week"), browser) as lived:
        yield lived


@pytest.mark.parametrize(
    "what", ["assign", "release", "collect", "autograde", "generate-feedback", "release-feedback"]
)
def test_every_button_of_formgrader_works(week: Week, what: str) -> None:
    """An instructor who never opens a terminal could not run the course."""
    assert re.match(r"\W*Success\s", week.seen[what])
    assert "ERROR" not in week.seen[what]


def test_an_assignment_is_created_in_formgrader(week: Week) -> None:
    """A course could only be begun from a terminal."""
    assert re.match(rf"{STAGED}\s+None\s+draft", week.seen["created"])


def test_the_autograde_button_gives_the_judges_score(week: Week) -> None:
    """formgrader would show what the cells printed, or nothing, where the command line shows the judge's."""
    assert "10 / 12" == week.seen[f"score of {WRONG}"]


def test_panels_stand_under_the_grade_cells(week: Week) -> None:
    """An instructor who reviews would see a traceback, and not which stage went wrong and why."""
    panels = week.seen[f"panels of {WRONG}"]
    assert ["projection", "key_index", "scores", "scaling", "softmax", "context"] == [
        re.findall(r"\w+", text)[0] for text in panels
    ]
    assert "This is the first stage to diverge: start here." in panels[3]
    assert "≠\u00a0" in panels[3]
    assert "✗ scaling → ↓ softmax" in panels[5]


def test_a_hostile_notebook_does_nothing_in_formgrader(week: Week) -> None:
    """A script in a student's output or text would run as the instructor, and could set every grade."""
    assert week.seen[f"stolen by {HOSTILE}"] is None


def test_formulas_are_drawn_in_formgrader_without_the_network(week: Week, browser: Browser) -> None:
    """Offline, an instructor would grade dollar signs and backslashes."""
    assert week.seen[f"formulas of {WRONG}"] > 5


def test_the_student_gets_the_comment_and_the_point(week: Week, browser: Browser) -> None:
    """What an instructor wrote in formgrader would never reach the student."""
    # Both hand in from one account here, and so both pages are fetched.
    pages = week.student.glob(f"{STAGED}/feedback/*/{STAGED}.html")
    (own,) = (page for page in pages if f": feedback for {WRONG}</title>" in page.read_text())
    with opened(browser, own.as_uri()) as page:
        expect(page.get_by_text("11 of 12 points")).to_be_visible()
        expect(page.get_by_text("1 of 2 points, given by hand")).to_be_visible()
        expect(page.locator(".comment")).to_contain_text("Which dimension is it, d_k or its root?")
        assert "*d_k*" in COMMENT
        expect(page.locator(".comment em")).to_have_text("d_k")
        assert "stageprobe" not in page.content()
        assert [] == violations(page)


@contextmanager
def lab(week: Week, browser: Browser, path: str) -> Iterator[Page]:
    """A notebook in JupyterLab, its kernel at rest."""
    with opened(browser, f"{week.address}/lab/tree/{path}?reset", width=1400) as page:
        page.get_by_text("| Idle").wait_for()
        yield page


def run_all(page: Page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()


def validated(page: Page) -> str:
    page.get_by_role("button", name="Validate", exact=True).click()
    window = page.locator(".jp-Dialog-content")
    expect(window).to_contain_text("Validation Results")
    return window.inner_text()


def test_a_fresh_release_runs_and_says_what_is_missing(week: Week, browser: Browser) -> None:
    """A student's first click on the released notebook would end in an error of the course's own."""
    with lab(week, browser, f"student/{STAGED}/{STAGED}.ipynb") as page:
        run_all(page)
        expect(page.locator(".jp-OutputArea").get_by_text("NotImplementedError").first).to_be_visible()
        assert "The following cell failed" in validated(page)


def test_a_solved_release_runs_and_validates(week: Week, browser: Browser) -> None:
    """A student who is right would be told otherwise before handing in, with nothing of stagegrade installed."""
    notebooks.write(week.student / "solved" / f"{STAGED}.ipynb", solved(week.course, {}))
    with lab(week, browser, f"student/solved/{STAGED}.ipynb") as page:
        run_all(page)
        # The last cell's number stands there when it has run.
        last = page.locator(".jp-CodeCell .jp-InputArea-prompt").last
        expect(last).to_have_text(re.compile(r"\[\d+\]:"))
        assert 0 == page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']").count()
        assert "Your notebook passes all the tests" in validated(page)
        shoot(page, "lab-validated")


def test_panels_keep_their_look_in_jupyterlab(week: Week, browser: Browser) -> None:
    """JupyterLab strips what it does not trust, and a panel could lose the picture and the marks."""
    with lab(week, browser, f"attention/autograded/{WRONG}/{STAGED}/{STAGED}.ipynb") as page:
        panel = page.locator(".jp-OutputArea section").filter(has_text="start here")
        panel.scroll_into_view_if_needed()
        expect(panel).to_contain_text("✗ scaling: diverges (0 of 2 points)")
        style = panel.evaluate(
            "e => [getComputedStyle(e).borderLeftWidth, getComputedStyle(e).borderLeftColor, "
            "getComputedStyle(e.querySelector('td strong').parentElement).borderTopWidth, "
            "getComputedStyle(e.querySelector('span strong').parentElement).borderTopWidth]"
        )
        assert ["8px", "rgb(209, 73, 91)", "2px", "3px"] == style
        shoot(page, "lab-panel")


def test_a_hostile_notebook_does_nothing_in_jupyterlab(week: Week, browser: Browser) -> None:
    """An instructor who opens a graded notebook there would run a student's script."""
    path = Path(f"attention/autograded/{HOSTILE}/{STAGED}/{STAGED}.ipynb")
    with lab(week, browser, str(path)) as page:
        page.locator(".jp-OutputArea section").first.wait_for()
        assert page.evaluate("window.stolen ?? null") is None
