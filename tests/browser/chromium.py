"""Debian's Chromium, driven by Playwright, and the checks of axe-core."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

REQUIRED = "STAGEGRADE_REQUIRE_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome")
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
# In ms, for what is clicked and what is looked for: a loaded machine may be grading in its second process.
PATIENCE = 90_000
expect.set_options(timeout=PATIENCE)

# As root and without a network: no sandbox of its own, and nothing fetched in the background.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# What WCAG 2.2 asks at levels A and AA, and what axe-core adds as good practice.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def executable() -> str:
    """Where Chromium is. Skips where there is none, unless the environment requires one."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None and os.environ.get(REQUIRED):
        pytest.fail(f"{REQUIRED} is set, and there is no Chromium: apt-get install chromium")
    if found is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    path = executable()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Browser,
    address: str,
    *,
    scheme: Literal["light", "dark"] = "light",
    width: int = 1200,
    tolerated: str | None = None,
    **options: Any,
) -> Iterator[Page]:
    """A page with nothing of other pages' storage, which fails on an error in its own scripts but ``tolerated``."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    try:
        page.goto(address)
        yield page
    finally:
        context.close()
    assert [] == [error for error in errors if error != tolerated]


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong, a line for each rule with the first element that breaks it."""
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    return [
        f"{rule['id']}: {rule['help']} ({len(rule['nodes'])}): {rule['nodes'][0]['html'][:200]} "
        f"{rule['nodes'][0].get('failureSummary', '')[:300]}"
        for rule in found.response["violations"]
    ]


def shoot(page: Page, name: str, *, element: str | None = None, full: bool = False) -> None:
    """Take a picture for the documentation, under ``build/screenshots/``."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    path = SCREENSHOTS / f"{name}.png"
    if element:
        page.locator(element).first.screenshot(path=path)
    else:
        page.screenshot(path=path, full_page=full)
