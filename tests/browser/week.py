"""A week of formgrader: an instructor clicks through it once, and many tests look at what was seen."""

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from tests import notebooks
from tests.browser.chromium import opened, shoot
from tests.browser.classroom import STAGED, STUDENTS, solved
from tests.browser.server import jupyter
from tests.commands import environment, run

WRONG, HOSTILE = "divides-by-d_k", "hostile"
COMMENT = "Which dimension is it, *d_k* or its root?"


@dataclass
class Week:
    """Folders of the instructor and of a student, the running server, and what was seen on the way."""

    root: Path
    address: str = ""
    seen: dict[str, Any] = field(default_factory=dict)

    @property
    def course(self) -> Path:
        return self.root / "attention"

    @property
    def student(self) -> Path:
        return self.root / "student"

    @property
    def env(self) -> Mapping[str, str]:
        return environment(self.root / "home")

    def as_student(self, *command: str | Path) -> None:
        run(*command, cwd=self.student, env=self.env)


@contextmanager
def lived_through(root: Path, browser: Browser) -> Iterator[Week]:
    """From an empty course to feedback in the student's folder; the server runs on."""
    week = Week(root)
    _prepare(week)
    with jupyter(root, cwd=week.course, env=week.env) as week.address:
        # nbconvert's template asks a server elsewhere for MathJax, of which nothing here has need.
        without = "MathJax is not defined"
        start = f"{week.address}/formgrader/manage_assignments"
        with opened(browser, start, width=1400, tolerated=without) as page:
            _create(week, page)
            _press(week, page, _row(page, STAGED), "assign")
            _press(week, page, _row(page, STAGED), "release")
            _hand_in(week)
            _press(week, page, _row(page, STAGED), "collect")
            _autograde(week, page)
            _grade_by_hand(week, page)
            page.goto(f"{week.address}/formgrader/manage_assignments")
            _press(week, page, _row(page, STAGED), "generate-feedback")
            _press(week, page, _row(page, STAGED), "release-feedback")
            shoot(page, "formgrader-assignments")
        week.as_student("nbgrader", "fetch_feedback", STAGED)
        yield week


def _prepare(week: Week) -> None:
    run("stagegrade", "new", week.course, cwd=week.root, env=week.env)
    exchange = week.root / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    lines = [f"c.Exchange.root = {str(exchange)!r}", f"c.Exchange.cache = {str(week.root / 'cache')!r}"]
    with (week.course / "nbgrader_config.py").open("a") as config:
        config.write("\n" + "\n".join(lines) + "\n")
    week.student.mkdir()
    own = ["c = get_config()", "c.CourseDirectory.course_id = 'attention'", *lines]
    (week.student / "nbgrader_config.py").write_text("\n".join(own) + "\n")
    shutil.move(week.course / "source" / STAGED, week.root / "drafts" / STAGED)


def _row(page: Page, name: str) -> Locator:
    return page.locator("#main-table tr").filter(has=page.locator("td").get_by_text(name, exact=True))


def _create(week: Week, page: Page) -> None:
    """Name the assignment in formgrader, then put its notebook into the folder, as an upload does."""
    page.get_by_role("link", name="Add new assignment...").click()
    window = page.locator("#add-assignment-modal")
    window.locator("input.name").fill(STAGED)
    window.get_by_role("button", name="Save").click()
    expect(_row(page, STAGED)).to_contain_text("draft")
    week.seen["created"] = _row(page, STAGED).inner_text()
    folder = week.course / "source" / STAGED
    shutil.copytree(week.root / "drafts" / STAGED, folder, dirs_exist_ok=True)


def _press(week: Week, page: Page, row: Locator, what: str) -> None:
    """Click one of formgrader's icons, and wait for the window in which it says how that went."""
    row.locator(f".{what} a").click()
    window = page.locator("#success-modal, #error-modal")
    expect(window).to_be_visible()
    week.seen[what] = window.inner_text()
    window.get_by_role("button", name="Close").last.click()
    expect(page.locator(".modal-backdrop")).to_have_count(0)


def _hand_in(week: Week) -> None:
    week.as_student("nbgrader", "fetch_assignment", STAGED)
    handed = week.student / STAGED / f"{STAGED}.ipynb"
    shutil.copyfile(handed, week.root / "fetched.ipynb")
    for student in (WRONG, HOSTILE):
        notebooks.write(handed, solved(week.course, STUDENTS[student]))
        week.as_student("nbgrader", "submit", STAGED, f"--student={student}")
    shutil.copyfile(week.root / "fetched.ipynb", handed)


def _autograde(week: Week, page: Page) -> None:
    _row(page, STAGED).locator(".num-submissions a").click()
    for student in (WRONG, HOSTILE):
        _press(week, page, _row(page, student), "autograde")
        expect(_row(page, student).locator(".status")).to_have_text("graded")
        week.seen[f"score of {student}"] = _row(page, student).locator(".score").inner_text()
    shoot(page, "formgrader-submissions")


def _grade_by_hand(week: Week, page: Page) -> None:
    """Look at both submissions; give the wrong one a comment and a point."""
    page.get_by_role("link", name="Manual Grading").click()
    page.locator("#main-table").get_by_role("link", name=STAGED).click()
    page.locator("#main-table").get_by_role("link", name=STAGED).click()
    listed = page.locator("#main-table tr .name a:visible")
    expect(listed).to_have_count(2)
    for number in range(2):
        listed.nth(number).click()
        panels = page.locator(".output_html section")
        expect(panels).to_have_count(6)
        whose = WRONG if "mine" not in page.locator("#notebook-container").first.inner_text() else HOSTILE
        week.seen[f"panels of {whose}"] = panels.all_inner_texts()
        week.seen[f"formulas of {whose}"] = page.locator("math").count()
        week.seen[f"stolen by {whose}"] = page.evaluate("window.stolen ?? null")
        if whose == WRONG:
            _review(week, page)
        page.go_back()


def _review(week: Week, page: Page) -> None:
    # A page that is not yet filled from the gradebook saves nothing, and the sign that it saved is soon gone.
    page.wait_for_function("formgrader.grades?.loaded && formgrader.comments?.loaded")
    cell = page.locator(".nbgrader_cell").filter(has=page.locator("#solution-scaling-comment"))
    with page.expect_response(re.compile("/api/comment/")) as saved:
        cell.locator("textarea").fill(COMMENT)
        cell.locator("textarea").blur()
    assert saved.value.ok
    graded = page.locator(".nbgrader_cell").filter(has=page.locator("#test-scaling"))
    with page.expect_response(re.compile("/api/grade/")) as saved:
        graded.locator("#test-scaling").fill("1")
        graded.locator("#test-scaling").blur()
    assert saved.value.ok
    page.locator(".output_html section").nth(3).scroll_into_view_if_needed()
    page.evaluate("window.scrollBy(0, -120)")
    page.wait_for_timeout(300)
    shoot(page, "formgrader-submission")
