"""The page itself: its headers, and that it fits narrow and dark screens."""

import urllib.error
import urllib.request
from email.message import Message
from functools import partial

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Newcomer
from tests.browser.person import Person
from tests.support.launched import Launched
from tests.support.waiting import eventually

LINES = "one => { const all = new Range(); all.selectNodeContents(one); return all.getClientRects().length; }"
OUTSIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => `${one.tagName}.${one.className}`)"""
"""The elements that reach beyond the right edge of a page that is too wide."""
BELOW = """() => [...document.querySelectorAll(".board > *, .board > div > *, .side > *")].filter((one) => {
  const { bottom, height } = one.getBoundingClientRect();
  return height > 0 && bottom > innerHeight + 1;
}).map((one) => `${one.tagName}.${one.getAttribute("class")}`)"""
"""The parts of a board and of the side column that reach below the window."""
DESKTOPS = ((1440, 900), (1024, 768))
OPERATORS_PAGES = ("/ops", "/web/js/ops.js")
PAGES = ("/", "/t/1000", "/replay/1000", "/web/js/main.js", "/web/css/base.css", "/web/icon.svg")


def get(cluster: Launched, path: str, **headers: str) -> tuple[int, Message]:
    port = cluster.ops_port() if path in OPERATORS_PAGES else cluster.port
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.headers


@pytest.mark.parametrize("path", PAGES + OPERATORS_PAGES)
def test_every_file_has_a_strict_policy_and_is_not_sent_twice(cluster: Launched, path: str) -> None:
    status, headers = get(cluster, path)
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert get(cluster, path, **{"If-None-Match": headers["ETag"]})[0] == 304


def test_there_is_no_way_out_of_the_folder(cluster: Launched) -> None:
    for path in ("/web/../app.py", "/web/%2e%2e/app.py", "/web//etc/passwd", "/web/", "/web/js"):
        assert get(cluster, path)[0] == 404


def assert_fits(person: Person) -> None:
    outside = person.page.evaluate(OUTSIDE)
    assert outside == []


@pytest.mark.parametrize("dark", [False, True])
def test_everything_fits_a_screen_of_360_pixels(newcomer: Newcomer, dark: bool) -> None:
    person = newcomer(width=360, height=740, dark=dark)
    person.visit()
    expect(person.page.locator(".gamecard")).to_have_count(4)
    assert_fits(person)
    for game in ("stones", "eriantys", "codex", "snarl"):
        person.play_bots(game)
        person.wait_for_turn()
        assert_fits(person)
    person.visit_operations()
    expect(person.page.locator("#token")).to_be_visible()
    assert_fits(person)


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("game", ["eriantys", "codex", "snarl"])
def test_a_turn_needs_no_scrolling_on_a_desktop(newcomer: Newcomer, game: str, seats: int) -> None:
    person = newcomer()
    how: dict[str, str | bool] = {"expert": True} if game == "eriantys" else {}
    person.open_table(game, seats=str(seats), bots=str(seats - 1), **how)
    assert person.wait_for_turn()
    for width, height in DESKTOPS:
        person.page.set_viewport_size({"width": width, "height": height})
        eventually(lambda: person.page.evaluate(BELOW) == [], f"all fits {width} by {height}")


def is_on_one_line(text: Locator) -> bool:
    return bool(text.evaluate(LINES) == 1)


def test_the_list_of_tables_can_be_read_on_a_narrow_screen(newcomer: Newcomer) -> None:
    table = newcomer().open_table("codex", seats="3")
    person = newcomer(width=360, height=740).visit()
    row = person.page.locator(f"tr[data-room='{table}']")
    for cell in (row.locator("td").first, row.get_by_text("Join", exact=True), row.get_by_text("Watch")):
        # The list may be drawn anew between finding and measuring; a removed cell has no lines.
        eventually(partial(is_on_one_line, cell), "the text is on one line")


def test_nothing_is_asked_of_another_host(newcomer: Newcomer) -> None:
    person = newcomer()
    asked: list[str] = []
    person.page.on("request", lambda request: asked.append(request.url))
    person.play_bots("codex")
    person.wait_for_turn()
    assert asked
    assert all(url.startswith(person.url) for url in asked)


MOST_REQUESTS, MOST_BYTES = 15, 45_000


def test_the_front_page_takes_few_requests_and_bytes(newcomer: Newcomer) -> None:
    person = newcomer()
    network = person.context.new_cdp_session(person.page)
    asked: set[str] = set()
    sizes: list[int] = []
    network.on("Network.requestWillBeSent", lambda event: asked.add(event["request"]["url"]))
    network.on("Network.webSocketCreated", lambda event: asked.add(event["url"]))
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    network.send("Network.enable")
    person.visit()
    expect(person.page.locator(".gamecard")).to_have_count(4)
    expect(person.page.locator(".online")).to_contain_text("online")
    person.page.wait_for_load_state("networkidle")
    assert any(url.startswith("ws:") for url in asked)
    assert len(asked) <= MOST_REQUESTS, sorted(asked)
    assert 0 < sum(sizes) <= MOST_BYTES
