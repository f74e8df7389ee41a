"""Fixtures for the browser tests: a cluster that `tavolata up` started, and a Chromium that is installed."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.person import WAIT_MS, Person
from tests.support.cluster import NEVER_MS, store_options
from tests.support.launched import Launched

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
NOT_FOUND = "THE BROWSER TESTS WERE SKIPPED: no Chromium on this machine (Debian: apt-get install chromium)"
QUICK = {
    "TAVOLATA_BOT_MS": "10",
    "TAVOLATA_ADMIN_TOKEN": "let-me-in-please-now",
    "TAVOLATA_STORE_DOWN_AFTER_MS": str(NEVER_MS),
}

LIMIT_S = 300
"""The time limit of a test: whole games take minutes on a busy machine."""

Newcomer = Callable[..., Person]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(LIMIT_S))


@pytest.fixture(scope="session")
def chromium() -> str:
    for name in NAMES:
        if path := shutil.which(name):
            return path
    if sys.__stderr__ is not None:
        sys.__stderr__.write(f"\n{NOT_FOUND}\n")
    pytest.skip(NOT_FOUND)


@pytest.fixture(scope="session")
def cluster(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    folder = tmp_path_factory.mktemp("browser")
    with Launched(Path(folder) / "data", *store_options(), module="deploy.cli", env=QUICK) as running:
        yield running


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A Chromium per module. In session scope its event loop would conflict with the loops of other tests."""
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def newcomer(browser: Browser, cluster: Launched) -> Iterator[Newcomer]:
    """Opens browser contexts. The test fails at its end if one of them recorded an error."""
    people: list[Person] = []

    def come(**how: object) -> Person:
        url, ops_url = (f"http://127.0.0.1:{port}" for port in (cluster.port, cluster.ops_port()))
        person = Person(browser, url, ops_url, **how)  # type: ignore[arg-type]
        people.append(person)
        return person

    yield come
    for person in people:
        person.leave()
