"""One browser and one graded class for all tests of a process."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import chromium
from tests.browser.classroom import Classroom, graded_class


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """A small class, graded and given feedback by the real commands."""
    return graded_class(tmp_path_factory.mktemp("class"))
